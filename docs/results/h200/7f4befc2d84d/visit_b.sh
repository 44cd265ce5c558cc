# hot actors' tests, then perdure bench all
D=/tmp/final; mkdir -p $D; pids=; for f in .visit/final/*.xz; do python3 -c "import lzma,sys,shutil; shutil.copyfileobj(lzma.open(sys.argv[1]), open(sys.argv[2],'wb'))" $f $D/$(basename $f .xz) & pids="$pids $!"; done; wait $pids; chmod +x $D/*
O=$OUT/all; mkdir -p $O; export PERDURE_CACHE=/tmp/perdure-cache; mkdir -p $PERDURE_CACHE; tar xf $D/cache.tar -C $PERDURE_CACHE
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader; lscpu | grep "Model name"
timeout -k 1 40 $D/contract_device_test --gtest_filter=OnDevice/HotActor* > $OUT/all/hot_actor.log 2>&1; echo "hot_actor rc $? $SECONDS s $(tail -1 $OUT/all/hot_actor.log)"
l=$((590 - SECONDS))
timeout -k 2 $l $D/perdure bench all --seconds 0.5 --out $O 2>&1 | tail -60
echo "end $SECONDS s"
cd $OUT && tar cJf all.txz all && rm -rf all; ls -la
