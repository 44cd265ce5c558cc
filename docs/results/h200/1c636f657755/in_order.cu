#include <cstdio>
#include <cuda_runtime.h>
typedef unsigned long long u64; typedef unsigned u32;
__device__ inline void ld128(const void* p, u64&a, u64&b, bool sys){ if(sys) asm volatile("{.reg .b128 w; ld.relaxed.sys.global.b128 w,[%2]; mov.b128 {%0,%1}, w;}":"=l"(a),"=l"(b):"l"(p)); else asm volatile("{.reg .b128 w; ld.relaxed.gpu.global.b128 w,[%2]; mov.b128 {%0,%1}, w;}":"=l"(a),"=l"(b):"l"(p)); }
__global__ void k(const char* host, const char* dev, char* flight, u64* out, int mode, int n){
  __shared__ int stop; __shared__ __align__(16) char buf[128]; if(threadIdx.x==0) stop=0; __syncthreads();
  int warp=threadIdx.x>>5, lane=threadIdx.x&31; u64 a,b,c,d; u64 sink=0;
  if(warp==0){
    long long t0=clock64();
    for(int i=0;i<n;++i){
      if(mode==0){ ld128(host+(lane<6?lane:5)*16,a,b,true); sink+=a; }
      if(mode==1){ ld128(host+(lane<6?lane:5)*16,a,b,true); if(__ballot_sync(~0u,(a&1)!=0)) sink++; }
      if(mode==2){ ld128(host+(lane<6?lane:5)*16,a,b,true); for(int r=0;r<4;++r){ ld128(dev+lane*16,c,d,false); if(__ballot_sync(~0u,(c&1)!=0)) sink++;} sink+=a; }
      if(mode==3){ ld128(dev+lane*16,c,d,false); if(__ballot_sync(~0u,(c&1)!=0)) sink++; }
      if(mode==4){ u32 sb=(u32)__cvta_generic_to_shared(buf);
        if(lane<6) asm volatile("cp.async.cg.shared.global [%0],[%1],16;"::"r"(sb+lane*16),"l"(host+lane*16):"memory"); asm volatile("cp.async.commit_group;":::"memory");
        for(int r=0;r<4;++r){ ld128(dev+lane*16,c,d,false); if(__ballot_sync(~0u,(c&1)!=0)) sink++; }
        asm volatile("cp.async.wait_group 0;":::"memory"); }
      if(mode==5){ *(volatile u64*)(flight)=i; ld128(dev+lane*16,c,d,false); if(__ballot_sync(~0u,(c&1)!=0)) sink++; }
      if(mode==6){ if(lane==0){ sink+=atomicAdd((u64*)(flight+4096),1ull); if(sink==12345) sink=0;} __syncwarp(); }
    }
    long long t1=clock64(); if(lane==0) {out[0]=t1-t0; atomicExch(&stop,1);} out[2+lane]=sink;
  } else if(warp==1 && mode==3){
    u64 cnt=0; while(*(volatile int*)&stop==0){ ld128(host+(lane<6?lane:5)*16,a,b,true); if(__ballot_sync(~0u,(a&1)!=0)) sink++; ++cnt; }
    if(lane==0) out[1]=cnt; out[40+lane]=sink;
  }
}
int main(){ char *h,*d,*f,*hd; u64* o; cudaHostAlloc(&h,4096,cudaHostAllocMapped); for(int i=0;i<4096;++i)h[i]=0; cudaHostGetDevicePointer(&hd,h,0); cudaMalloc(&d,4096); cudaMemset(d,0,4096); cudaMallocManaged(&o,4096);
 cudaHostAlloc(&f,8192,cudaHostAllocMapped); char* fd; cudaHostGetDevicePointer(&fd,f,0); char* dd; cudaMalloc(&dd,8192);
 const char* names[]={"host polls, nobody waits","host poll with ballot","host poll + 4 ring polls, same warp","ring poll beside another warp's host polls","cp.async host + 4 ring polls","host store + ring poll","atomic with result"};
 for(int blocks: {1,132}) for(int m=0;m<7;++m){ int n=20000; for(int rep=0;rep<2;++rep){ o[1]=0; k<<<blocks,64>>>(hd,d,m==6?dd:fd,o,m,n); cudaError_t e=cudaDeviceSynchronize(); if(e){printf("%s\n",cudaGetErrorString(e));return 1;} } printf("blocks %3d  %-45s %.0f cycles each; other warp's polls %llu -> %.0f cycles each\n",blocks,names[m],double(o[0])/n,o[1],o[1]?double(o[0])/o[1]:0.0);} }
