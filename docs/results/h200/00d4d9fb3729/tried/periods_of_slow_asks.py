# periods of the slow ones, by time and by number, of the same files
import numpy as np
for r in (1,2):
    a=np.loadtxt(f'asks_{r}.txt',dtype=np.int64)
    fr,pu,se,en,look,seen,vain,done,turns=a.T
    tot=en-fr
    def per(name,idx):
        t=seen[idx].astype(float)/1000; d=np.diff(t); di=np.diff(np.where(idx)[0])
        print(r,name,idx.sum(),'dt pct',[round(float(np.percentile(d,p)),1) for p in (5,25,50,75,95)],'di',[int(np.percentile(di,p)) for p in (5,25,50,75,95)])
        best=max((abs(np.exp(2j*np.pi*t/P).mean()),round(P,2)) for P in np.arange(20,300,0.02))
        bi=max((abs(np.exp(2j*np.pi*np.where(idx)[0]/P).mean()),P) for P in range(2,520))
        print('   time period',best,'index period',bi)
    lk=seen-look
    per('look>2.2',lk>2200)
    w=500; rel=(seen-pu).astype(float); k=np.arange(len(fr))
    base=np.array([np.percentile(rel[max(0,i-w):i+w],10) for i in range(0,len(rel),100)]); base=np.interp(k,np.arange(0,len(rel),100),base)
    rb=se-seen+base
    per('back>3.3',(rb>3300)&(rb<9000))
    per('back 5-7.6',(rb>5000)&(rb<7600))
    ds=rel-base
    late=(vain==0)&(ds>1900)
    per('late look',late)
    per('end>0.3',(en-se)>300)
    per('miss',vain==1)
