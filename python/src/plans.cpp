// SPDX-License-Identifier: BSD-3-Clause
// Plans and redistributions. Arrays come as addresses and bytes: Python has looked at their types, shapes and strides.
#include "bindings.hpp"

namespace weft::python {

namespace {

double seconds_of(std::chrono::steady_clock::time_point t) {
  return std::chrono::duration<double>(t.time_since_epoch()).count();
}

py::list timeline_of(const plan& p) {
  py::list all;
  for (const auto& e : p.timeline()) {
    all.append(py::make_tuple(e.way == direction::forward ? "forward" : "backward", e.call, e.position, e.stage, e.kind,
                              seconds_of(e.begin), seconds_of(e.end)));
  }
  return all;
}

py::array allocated(const plan& p, bool of_input) {
  memory block;
  {
    const py::gil_scoped_release others;
    block = p.allocate(of_input ? side::input : side::output);
  }
  return array_over(block);
}

}  // namespace

py::array array_over(const memory& block) {
  if (block.bytes() == 0) return py::array(py::dtype::of<std::uint8_t>(), py::ssize_t{0});
  py::capsule owner(new memory(block), [](void* kept) { delete static_cast<memory*>(kept); });
  return {py::dtype::of<std::uint8_t>(), static_cast<py::ssize_t>(block.bytes()), block.data(), owner};
}

void bind_plans(py::module_& m) {
  py::class_<started>(m, "Started")
      .def("test", &started::test, without_interpreter())
      .def("wait", &started::wait, without_interpreter())
      .def_property_readonly("done", &started::done);

  py::class_<plan>(m, "Plan")
      .def(py::init([](const problem& what, std::uintptr_t comm, const options& how) {
             return std::make_unique<plan>(what, communicator_of(comm), how);
           }),
           py::keep_alive<1, 4>(), without_interpreter())  // of the options, an arena
      .def(
          "run",
          [](plan& p, bool forward, std::uintptr_t in, std::size_t in_bytes, std::uintptr_t out,
             std::size_t out_bytes) {
            if (forward) {
              p.forward(bytes_at(in, in_bytes), writable_bytes_at(out, out_bytes));
            } else {
              p.backward(bytes_at(in, in_bytes), writable_bytes_at(out, out_bytes));
            }
          },
          without_interpreter())
      .def(
          "start",
          [](plan& p, bool forward, std::uintptr_t in, std::size_t in_bytes, std::uintptr_t out,
             std::size_t out_bytes) {
            const auto from = bytes_at(in, in_bytes);
            const auto to = writable_bytes_at(out, out_bytes);
            return std::make_unique<started>(forward ? p.start_forward(from, to) : p.start_backward(from, to));
          },
          without_interpreter())
      .def(
          "refuse",
          [](const plan& p, int code, const std::string& why, bool starts) {
            p.refuse(error(static_cast<error_code>(code), why),
                     starts ? plan::instead_of::start : plan::instead_of::run);
          },
          without_interpreter())
      .def("all_say", &plan::all_say, without_interpreter())
      .def("allocate", &allocated)
      .def_property_readonly("input", &plan::input, py::return_value_policy::copy)
      .def_property_readonly("output", &plan::output, py::return_value_policy::copy)
      .def_property_readonly("rank", &plan::rank)
      .def_property_readonly("batch", &plan::batch)
      .def_property_readonly("input_elements", &plan::input_elements)
      .def_property_readonly("output_elements", &plan::output_elements)
      .def_property_readonly("input_layout", &plan::input_layout, py::return_value_policy::copy)
      .def_property_readonly("output_layout", &plan::output_layout, py::return_value_policy::copy)
      .def_property_readonly("report", &plan::report, py::return_value_policy::copy)
      .def("explain", &plan::explain, without_interpreter())
      .def("stage_times",
           [](const plan& p) {
             std::vector<std::pair<std::string, double>> all;
             for (const auto& s : p.stage_times()) all.emplace_back(s.stage, s.seconds);
             return all;
           })
      .def("reset_stage_times", &plan::reset_stage_times)
      .def("record_timeline", &plan::record_timeline)
      .def("timeline", &timeline_of);

  py::class_<redistribution>(m, "Redistribution")
      .def(py::init([](const distribution& from, const distribution& to, std::size_t element_bytes, std::uintptr_t comm,
                       const std::string& exchange, bool destroy_input, integer batch) {
             redistribution_options how;
             how.exchange = exchange;
             how.destroy_input = destroy_input;
             how.batch = batch;
             return std::make_unique<redistribution>(from, to, element_bytes, communicator_of(comm), how);
           }),
           without_interpreter())
      .def(
          "run",
          [](redistribution& r, std::uintptr_t in, std::size_t in_bytes, std::uintptr_t out, std::size_t out_bytes) {
            r(bytes_at(in, in_bytes), writable_bytes_at(out, out_bytes));
          },
          without_interpreter())
      .def(
          "refuse",
          [](const redistribution& r, int code, const std::string& why) {
            r.refuse(error(static_cast<error_code>(code), why));
          },
          without_interpreter())
      .def_property_readonly("messages", &redistribution::messages)
      .def_property_readonly("bytes", &redistribution::bytes)
      .def_property_readonly("workspace_bytes", &redistribution::workspace_bytes);

  m.def(
      "host_memory", [](std::size_t bytes) { return array_over(host_memory(bytes)); }, py::arg("bytes"));
}

}  // namespace weft::python
