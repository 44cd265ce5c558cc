// tools/profile/pc_samples.cpp - samples what a resident loop executes, while it runs: a CUPTI injection library.
// Why: a profiler that replays kernels, or waits for each to end, waits for ever on a loop that a host must feed; CUPTI's
//      continuous PC sampling does neither.
// Use: CUDA_INJECTION64_PATH=libperdure_pc_samples.so PERDURE_PC_SAMPLES=out.csv program ...; then tools/profile/where.py
//      PERDURE_PC_CONTEXT=2: of the second context that the program makes (the first unless it is set)
// Output: one row an instruction and stall reason: function, offset in it, reason, samples; written when the program ends.
// SPDX-License-Identifier: Apache-2.0
#include <cuda.h>
#include <cupti.h>
#include <cupti_pcsampling.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

namespace {

constexpr std::size_t most_pcs = 1U << 16U;
constexpr std::uint32_t log2_cycles_a_sample = 14;
constexpr std::size_t hardware_buffer_bytes = std::size_t{512} << 20U;

void check(CUptiResult result, const char* what) {
  if (result == CUPTI_SUCCESS) return;
  const char* text = nullptr;
  cuptiGetResultString(result, &text);
  std::fprintf(stderr, "pc_samples: %s: %s\n", what, text != nullptr ? text : "?");
  std::exit(3);
}

/// A buffer that CUPTI fills.
struct samples_buffer {
  std::vector<CUpti_PCSamplingPCData> pcs{most_pcs};
  std::vector<CUpti_PCSamplingStallReason> reasons;
  CUpti_PCSamplingData data{};

  explicit samples_buffer(std::size_t reason_count) : reasons(most_pcs * reason_count) {
    data.size = sizeof(data);
    data.collectNumPcs = most_pcs;
    data.pPcData = pcs.data();
    for (std::size_t i = 0; i < most_pcs; ++i) {
      pcs[i].size = sizeof(pcs[i]);
      pcs[i].stallReason = &reasons[i * reason_count];
    }
  }
};

class sampler {
 public:
  void begin(CUcontext context) {
    std::lock_guard lock{mutex_};
    if (context_ != nullptr || ++made_ != wanted_context()) return;
    context_ = context;
    CUpti_PCSamplingEnableParams enable{};
    enable.size = CUpti_PCSamplingEnableParamsSize;
    enable.ctx = context;
    check(cuptiPCSamplingEnable(&enable), "enable");
    name_reasons();
    configured_.reset(new samples_buffer{names_.size()});
    taken_.reset(new samples_buffer{names_.size()});
    std::vector<CUpti_PCSamplingConfigurationInfo> set(5);
    set[0].attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_COLLECTION_MODE;
    set[0].attributeData.collectionModeData.collectionMode =
        CUPTI_PC_SAMPLING_COLLECTION_MODE_CONTINUOUS;
    set[1].attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_PERIOD;
    set[1].attributeData.samplingPeriodData.samplingPeriod = log2_cycles_a_sample;
    set[2].attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_STALL_REASON;
    set[2].attributeData.stallReasonData.stallReasonCount = indices_.size();
    set[2].attributeData.stallReasonData.pStallReasonIndex = indices_.data();
    set[3].attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_HARDWARE_BUFFER_SIZE;
    set[3].attributeData.hardwareBufferSizeData.hardwareBufferSize = hardware_buffer_bytes;
    set[4].attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_DATA_BUFFER;
    set[4].attributeData.samplingDataBufferData.samplingDataBuffer = &configured_->data;
    CUpti_PCSamplingConfigurationInfoParams params{};
    params.size = CUpti_PCSamplingConfigurationInfoParamsSize;
    params.ctx = context;
    params.numAttributes = set.size();
    params.pPCSamplingConfigurationInfo = set.data();
    check(cuptiPCSamplingSetConfigurationAttribute(&params), "configure");
    collector_ = std::thread{[this] {
      while (!leave_.load()) {
        std::this_thread::sleep_for(std::chrono::milliseconds{50});
        collect();
      }
    }};
  }

  /// Before the context goes, and when the program ends (null).
  void end(CUcontext gone = nullptr) {
    if (context_ == nullptr || (gone != nullptr && gone != context_) || leave_.exchange(true))
      return;
    collector_.join();
    collect();
    const char* path = std::getenv("PERDURE_PC_SAMPLES");
    std::FILE* out = std::fopen(path != nullptr ? path : "pc_samples.csv", "w");
    if (out == nullptr) return std::perror("pc_samples");
    std::fprintf(out, "function,offset,reason,samples\n");
    for (const auto& [key, n] : total_) {
      const auto& [function, offset, reason] = key;
      std::fprintf(out, "%s,%llu,%s,%llu\n", function.c_str(),
                   static_cast<unsigned long long>(offset), names_[reason].c_str(),
                   static_cast<unsigned long long>(n));
    }
    std::fclose(out);
    std::fprintf(stderr, "pc_samples: %llu samples, %llu dropped\n",
                 static_cast<unsigned long long>(samples_),
                 static_cast<unsigned long long>(dropped_));
  }

 private:
  void name_reasons() {
    std::size_t count = 0;
    CUpti_PCSamplingGetNumStallReasonsParams ask{};
    ask.size = CUpti_PCSamplingGetNumStallReasonsParamsSize;
    ask.ctx = context_;
    ask.numStallReasons = &count;
    check(cuptiPCSamplingGetNumStallReasons(&ask), "count stall reasons");
    indices_.resize(count);
    std::vector<char> text(count * CUPTI_STALL_REASON_STRING_SIZE);
    std::vector<char*> texts(count);
    for (std::size_t i = 0; i < count; ++i) texts[i] = &text[i * CUPTI_STALL_REASON_STRING_SIZE];
    CUpti_PCSamplingGetStallReasonsParams get{};
    get.size = CUpti_PCSamplingGetStallReasonsParamsSize;
    get.ctx = context_;
    get.numStallReasons = count;
    get.stallReasonIndex = indices_.data();
    get.stallReasons = texts.data();
    check(cuptiPCSamplingGetStallReasons(&get), "name stall reasons");
    for (std::size_t i = 0; i < count; ++i) {
      if (indices_[i] >= names_.size()) names_.resize(indices_[i] + 1);
      names_[indices_[i]] = texts[i];
    }
  }

  void collect() {
    std::lock_guard lock{mutex_};
    for (;;) {
      CUpti_PCSamplingGetDataParams get{};
      get.size = CUpti_PCSamplingGetDataParamsSize;
      get.ctx = context_;
      get.pcSamplingData = &taken_->data;
      if (cuptiPCSamplingGetData(&get) != CUPTI_SUCCESS) return;
      add(taken_->data);
      if (taken_->data.remainingNumPcs == 0) return;
    }
  }
  /// Function names are shared between records, so nobody frees them.
  void add(const CUpti_PCSamplingData& data) {
    samples_ += data.totalSamples;
    dropped_ += data.droppedSamples;
    for (std::size_t i = 0; i < data.totalNumPcs; ++i) {
      const CUpti_PCSamplingPCData& pc = data.pPcData[i];
      for (std::size_t r = 0; r < pc.stallReasonCount; ++r) {
        const auto reason = pc.stallReason[r].pcSamplingStallReasonIndex;
        total_[{pc.functionName, pc.pcOffset, reason}] += pc.stallReason[r].samples;
      }
    }
  }

  static int wanted_context() {
    const char* number = std::getenv("PERDURE_PC_CONTEXT");
    return number != nullptr ? std::atoi(number) : 1;
  }

  std::mutex mutex_;
  int made_ = 0;
  CUcontext context_ = nullptr;
  std::vector<std::uint32_t> indices_;
  std::vector<std::string> names_;
  std::unique_ptr<samples_buffer> configured_, taken_;
  std::map<std::tuple<std::string, std::uint64_t, std::uint32_t>, std::uint64_t> total_;
  std::uint64_t samples_ = 0, dropped_ = 0;
  std::thread collector_;
  std::atomic<bool> leave_{false};
};

sampler& the_sampler() {
  static auto* made = new sampler;  // lives until the process ends
  return *made;
}

void CUPTIAPI on_event(void*, CUpti_CallbackDomain, CUpti_CallbackId id, const void* data) {
  const auto* resource = static_cast<const CUpti_ResourceData*>(data);
  if (id == CUPTI_CBID_RESOURCE_CONTEXT_CREATED) the_sampler().begin(resource->context);
  if (id == CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING) the_sampler().end(resource->context);
}

}  // namespace

/// Called by the driver when it starts.
extern "C" int InitializeInjection() {  // NOLINT: the driver looks for this name
  CUpti_SubscriberHandle subscriber = nullptr;
  check(cuptiSubscribe(&subscriber, on_event, nullptr), "subscribe");
  for (const auto id :
       {CUPTI_CBID_RESOURCE_CONTEXT_CREATED, CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING}) {
    check(cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_RESOURCE, id), "callback");
  }
  std::atexit([] { the_sampler().end(); });
  return 1;
}
