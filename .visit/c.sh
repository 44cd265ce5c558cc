mkdir -p /work $OUT; ln -sfn $PWD /work/main; ln -sfn $PWD /tmp/w59; export PERDURE_CACHE=/tmp/pc
python3 -c "import lzma,tarfile;tarfile.open('.visit/v.tar.xz').extractall('/tmp')"
mkdir -p /tmp/o
for i in 1 2; do
for v in s a; do
timeout 25 /tmp/v/perdure_$v bench letters --seconds 0.5 --runs 2 > /tmp/o/all_$v$i.log 2>&1; echo $v all $?; grep -A1 SEEN /tmp/o/all_$v$i.log | head -8; tail -4 /tmp/o/all_$v$i.log | cut -c1-200
done; done
tar czf $OUT/x.tgz -C /tmp/o .
