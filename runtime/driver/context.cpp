// runtime/driver/context.cpp - device queries and the primary context.
// SPDX-License-Identifier: Apache-2.0
#include "runtime/driver/context.hpp"

#include <array>
#include <cstdio>
#include <utility>

namespace perdure::driver {
namespace {

std::string uuid_text(const abi::uuid& id) {
  std::string text = "GPU-";
  for (int i = 0; i < 16; ++i) {
    char two[3];
    std::snprintf(two, sizeof two, "%02x", static_cast<unsigned>(id.bytes[i]));
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += two;
  }
  return text;
}

std::string pci_text(int domain, int bus, int device) {
  char text[32];
  std::snprintf(text, sizeof text, "%04x:%02x:%02x", static_cast<unsigned>(domain),
                static_cast<unsigned>(bus), static_cast<unsigned>(device));
  return text;
}

result<abi::device> device_at(const api& cuda, int ordinal) {
  auto count = device_count(cuda);
  if (!count) return count.error();
  if (ordinal < 0 || ordinal >= *count) {
    return error{errc::no_device, "device " + std::to_string(ordinal) +
                                      " was asked for, but only 0.." + std::to_string(*count - 1) +
                                      " exist"};
  }
  abi::device device = 0;
  if (auto done = cuda.check(cuda.cuDeviceGet(&device, ordinal), "cuDeviceGet"); !done)
    return done.error();
  return device;
}

}  // namespace

result<int> device_count(const api& cuda) {
  int count = 0;
  if (auto done = cuda.check(cuda.cuDeviceGetCount(&count), "cuDeviceGetCount"); !done)
    return done.error();
  if (count <= 0) {
    return error{errc::no_device,
                 "the driver (CUDA " + version_text(cuda.version()) +
                     ") shows no device to this process; is CUDA_VISIBLE_DEVICES set?"};
  }
  return count;
}

result<device_properties> describe(const api& cuda, int ordinal) {
  auto device = device_at(cuda, ordinal);
  if (!device) return device.error();
  device_properties p;
  p.ordinal = ordinal;
  std::array<char, 256> name{};
  abi::uuid id{};
  result<void> done = cuda.check(
      cuda.cuDeviceGetName(name.data(), static_cast<int>(name.size()), *device), "cuDeviceGetName");
  if (done) done = cuda.check(cuda.cuDeviceGetUuid(&id, *device), "cuDeviceGetUuid");
  if (done) done = cuda.check(cuda.cuDeviceTotalMem(&p.memory_bytes, *device), "cuDeviceTotalMem");
  if (!done) return done.error();

  using a = abi::device_attribute;
  int l2 = 0, per_processor = 0, per_block = 0, cooperative = 0, domain = 0, bus = 0, slot = 0;
  const std::pair<a, int*> wanted[] = {
      {a::major, &p.major},
      {a::minor, &p.minor},
      {a::processors, &p.processors},
      {a::clock_khz, &p.clock_khz},
      {a::memory_clock_khz, &p.memory_clock_khz},
      {a::memory_bus_bits, &p.memory_bus_bits},
      {a::threads_per_processor, &p.threads_per_processor},
      {a::registers_per_processor, &p.registers_per_processor},
      {a::warp_size, &p.warp_size},
      {a::l2_bytes, &l2},
      {a::shared_bytes_per_processor, &per_processor},
      {a::shared_bytes_per_block, &per_block},
      {a::cooperative_launch, &cooperative},
      {a::pci_domain, &domain},
      {a::pci_bus, &bus},
      {a::pci_device, &slot},
  };
  for (auto [attribute, into] : wanted) {
    done = cuda.check(cuda.cuDeviceGetAttribute(into, attribute, *device), "cuDeviceGetAttribute",
                      "attribute " + std::to_string(static_cast<int>(attribute)));
    if (!done) return done.error();
  }
  p.name = name.data();
  p.uuid = uuid_text(id);
  p.pci = pci_text(domain, bus, slot);
  p.l2_bytes = static_cast<std::size_t>(l2);
  p.shared_bytes_per_processor = static_cast<std::size_t>(per_processor);
  p.shared_bytes_per_block = static_cast<std::size_t>(per_block);
  p.cooperative_launch = cooperative != 0;
  return p;
}

current_scope::current_scope(context_view of) noexcept : cuda_{*of.cuda} {
  abi::context now = nullptr;
  status_ = cuda_.cuCtxGetCurrent(&now);
  if (status_ != abi::success || now == of.handle) return;
  status_ = cuda_.cuCtxPushCurrent(of.handle);
  pushed_ = status_ == abi::success;
}

current_scope::~current_scope() {
  if (!pushed_) return;
  abi::context popped = nullptr;
  cuda_.note_teardown(cuda_.cuCtxPopCurrent(&popped), "cuCtxPopCurrent");
}

context::context(const api& cuda, abi::device device, abi::context handle,
                 device_properties properties)
    : cuda_{&cuda}, device_{device}, handle_{handle}, properties_{std::move(properties)} {}

context::context(context&& other) noexcept
    : cuda_{other.cuda_},
      device_{other.device_},
      handle_{std::exchange(other.handle_, nullptr)},
      properties_{std::move(other.properties_)} {}

context& context::operator=(context&& other) noexcept {
  std::swap(cuda_, other.cuda_);
  std::swap(device_, other.device_);
  std::swap(handle_, other.handle_);
  std::swap(properties_, other.properties_);
  return *this;
}

context::~context() {
  if (handle_ != nullptr)
    cuda_->note_teardown(cuda_->cuDevicePrimaryCtxRelease(device_), "cuDevicePrimaryCtxRelease");
}

result<context> context::retain(const api& cuda, int ordinal) {
  auto properties = describe(cuda, ordinal);
  if (!properties) return properties.error();
  auto device = device_at(cuda, ordinal);
  if (!device) return device.error();
  abi::context handle = nullptr;
  auto done =
      cuda.check(cuda.cuDevicePrimaryCtxRetain(&handle, *device), "cuDevicePrimaryCtxRetain",
                 properties->name + ", device " + std::to_string(ordinal));
  if (!done) return done.error();
  return context{cuda, *device, handle, std::move(*properties)};
}

result<memory_info> context::memory() const {
  const current_scope scope{view()};
  memory_info info{};
  auto done = cuda_->check(scope.status(), "cuCtxPushCurrent");
  if (done)
    done = cuda_->check(cuda_->cuMemGetInfo(&info.free_bytes, &info.total_bytes), "cuMemGetInfo");
  if (!done) return done.error();
  return info;
}

}  // namespace perdure::driver
