# stages of asks_1.txt and asks_2.txt, which bench rtt left with the stamps
import numpy as np
for r in (1,2):
    a=np.loadtxt(f'asks_{r}.txt',dtype=np.int64)
    fr,pu,se,en,look,seen,vain,done,turns=a.T
    tot=(en-fr); push=pu-fr; look_=seen-look
    k=np.arange(len(fr)); w=500
    rel=(seen-pu).astype(float)
    base=np.array([np.percentile(rel[max(0,i-w):i+w],10) for i in range(0,len(rel),100)])
    base=np.interp(k,np.arange(0,len(rel),100),base)
    ds=rel-base
    rb=(se-seen).astype(float)+base
    def q(x): return [round(float(np.percentile(x,p))/1000,2) for p in (1,10,50,90,95,98,99,99.5)]
    print('total',q(tot)); print('push',q(push)); print('pushed->seen (less base)',q(ds)); print('look->seen',q(look_)); print('seen->host seen (+base)',q(rb)); print('end',q(en-se))
    slow=(tot>np.percentile(tot,97))&(tot<8000)
    print('slow: n',slow.sum(),'vain',np.bincount(np.clip(vain[slow],0,5)), 'all vain',np.bincount(np.clip(vain,0,5)))
    print(' push',q(push[slow]),' ds',q(ds[slow]),' look',q(look_[slow]),' back',q(rb[slow]))
    for i in np.where(slow)[0][:40]:
        print(i,tot[i],'push',push[i],'ds',int(ds[i]),'look',look_[i],'vain',vain[i],'back',int(rb[i]),'end',en[i]-se[i],'turns',turns[i])
