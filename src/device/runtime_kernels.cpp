// SPDX-License-Identifier: BSD-3-Clause
#include "device/runtime_kernels.hpp"

#include <nvrtc.h>

#include <algorithm>

#include "device/kernel_sources.hpp"
#include "device/kernels/straight_sweeps.hpp"
#include "device/library.hpp"
#include "weft/error.hpp"

namespace weft::device {

namespace {

#define WEFT_STRING(text) #text
#define WEFT_EXPANDED(text) WEFT_STRING(text)
constexpr const char* numbered_name = "libnvrtc.so." WEFT_EXPANDED(WEFT_NVRTC_MAJOR);

struct calls {
  loaded_library from{numbered_name, "libnvrtc.so", WEFT_NVRTC_LIBRARY};
  decltype(::nvrtcVersion)* version = nullptr;
  decltype(::nvrtcGetNumSupportedArchs)* count_architectures = nullptr;
  decltype(::nvrtcGetSupportedArchs)* architectures = nullptr;
  decltype(::nvrtcCreateProgram)* create = nullptr;
  decltype(::nvrtcDestroyProgram)* destroy = nullptr;
  decltype(::nvrtcAddNameExpression)* want = nullptr;
  decltype(::nvrtcCompileProgram)* compile = nullptr;
  decltype(::nvrtcGetLoweredName)* symbol = nullptr;
  decltype(::nvrtcGetCUBINSize)* code_size = nullptr;
  decltype(::nvrtcGetCUBIN)* code = nullptr;
  decltype(::nvrtcGetProgramLogSize)* log_size = nullptr;
  decltype(::nvrtcGetProgramLog)* log = nullptr;
  decltype(::nvrtcGetErrorString)* text = nullptr;

  calls() {
    from.find(version, "nvrtcVersion");
    from.find(count_architectures, "nvrtcGetNumSupportedArchs");
    from.find(architectures, "nvrtcGetSupportedArchs");
    from.find(create, "nvrtcCreateProgram");
    from.find(destroy, "nvrtcDestroyProgram");
    from.find(want, "nvrtcAddNameExpression");
    from.find(compile, "nvrtcCompileProgram");
    from.find(symbol, "nvrtcGetLoweredName");
    from.find(code_size, "nvrtcGetCUBINSize");
    from.find(code, "nvrtcGetCUBIN");
    from.find(log_size, "nvrtcGetProgramLogSize");
    from.find(log, "nvrtcGetProgramLog");
    from.find(text, "nvrtcGetErrorString");
  }
};

const calls& nvrtc() {
  static const calls all;
  return all;
}

/// What kernels include of the standard library, as this compiler has none.
constexpr kernel_source standard[] = {
    {"cstddef",
     "#pragma once\nnamespace std { enum class byte : unsigned char {}; using size_t = decltype(sizeof 0); }"},
    {"cstdint", "#pragma once\nnamespace std { using int64_t = long long; using uint64_t = unsigned long long; }"},
    {"type_traits",
     "#pragma once\nnamespace std {\n"
     "template <bool, class A, class> struct conditional { using type = A; };\n"
     "template <class A, class B> struct conditional<false, A, B> { using type = B; };\n"
     "template <bool C, class A, class B> using conditional_t = typename conditional<C, A, B>::type;\n}"}};

constexpr const char* source =
    "#define WEFT_ONE_KERNEL\n"
    "#include \"device/kernels/gpu_kernels.hpp\"\n";

/// One compilation.
class program {
 public:
  program() {
    std::vector<const char*> names, texts;
    for (const auto& s : standard) add(s, names, texts);
    for (const auto& s : kernel_sources()) add(s, names, texts);
    check(nvrtc().create(&handle_, source, "weft.cu", static_cast<int>(names.size()), texts.data(), names.data()));
  }
  ~program() { (void)nvrtc().destroy(&handle_); }
  program(const program&) = delete;
  program& operator=(const program&) = delete;

  compiled_kernel compile(const std::string& name, int architecture) {
    check(nvrtc().want(handle_, name.c_str()));
    const std::string target = "-arch=sm_" + std::to_string(architecture);
    const char* const options[] = {"-std=c++20", "-default-device", target.c_str()};
    if (const auto result = nvrtc().compile(handle_, 3, options); result != NVRTC_SUCCESS) {
      std::size_t size = 0;
      std::string log;
      if (nvrtc().log_size(handle_, &size) == NVRTC_SUCCESS) {
        log.resize(size);
        (void)nvrtc().log(handle_, log.data());
      }
      throw device_error("NVRTC could not compile " + name + ": " + nvrtc().text(result) + "\n" + log);
    }
    compiled_kernel made;
    const char* symbol = nullptr;
    check(nvrtc().symbol(handle_, name.c_str(), &symbol));
    made.symbol = symbol;
    std::size_t size = 0;
    check(nvrtc().code_size(handle_, &size));
    made.code.resize(size);
    check(nvrtc().code(handle_, made.code.data()));
    return made;
  }

 private:
  static void add(const kernel_source& s, std::vector<const char*>& names, std::vector<const char*>& texts) {
    names.push_back(s.name);
    texts.push_back(s.text);
  }
  static void check(nvrtcResult result) {
    if (result != NVRTC_SUCCESS) throw device_error(std::string("NVRTC: ") + nvrtc().text(result));
  }
  nvrtcProgram handle_{};
};

std::string plan_name(const block_plan& by) {
  std::string text = "weft::device::fixed_block<weft::device::fixed_plan<" + std::to_string(by.threads);
  for (int s = 0; s < by.stages; ++s) text += "," + std::to_string(by.radix[s]);
  return text + ">," + std::to_string(by.lanes) + "," + std::to_string(by.blocks) + ">";
}
std::string real_name(int real_bytes) { return real_bytes == 4 ? "float" : "double"; }

}  // namespace

std::string straight_kernel_name(const block_plan& by, int real_bytes, const straight_sweeps& c) {
  std::string name;
  with_straight_kinds(
      c, [&]<straight_kind First, straight_kind... Second>() {
        name = sizeof...(Second) == 0 ? "weft::device::straight_kernel<" : "weft::device::straight_chain<";
        name += plan_name(by) + "," + real_name(real_bytes) + "," + std::to_string(First);
        ((name += "," + std::to_string(Second)), ...);
        name += ">";
      });
  return name;
}

std::string fixed_kernel_name(const block_plan& by, int real_bytes) {
  return "weft::device::fixed_kernel<" + plan_name(by) + "," + real_name(real_bytes) + ">";
}

bool has_compiler() { return nvrtc().from.why_not().empty(); }

std::string compiler_name(std::string& why_not) {
  why_not = nvrtc().from.why_not();
  int major = 0, minor = 0;
  if (!why_not.empty() || nvrtc().version(&major, &minor) != NVRTC_SUCCESS) return {};
  return "NVRTC " + std::to_string(major) + "." + std::to_string(minor);
}

std::string why_no_compiler(int architecture) {
  if (const auto& reason = nvrtc().from.why_not(); !reason.empty()) return reason;
  int count = 0;
  if (nvrtc().count_architectures(&count) != NVRTC_SUCCESS) return "it does not tell its architectures";
  std::vector<int> all(static_cast<std::size_t>(count));
  if (nvrtc().architectures(all.data()) != NVRTC_SUCCESS) return "it does not tell its architectures";
  if (std::ranges::find(all, architecture) != all.end()) return {};
  return "it knows nothing of architecture " + std::to_string(architecture);
}

compiled_kernel compile_kernel(const std::string& name, int architecture) {
  if (const auto reason = why_no_compiler(architecture); !reason.empty()) {
    throw device_error("no kernels can be compiled: " + reason);
  }
  return program().compile(name, architecture);
}

}  // namespace weft::device
