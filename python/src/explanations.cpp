// SPDX-License-Identifier: BSD-3-Clause
// What a plan says of itself: explanations, reports, times.
#include "bindings.hpp"

namespace weft::python {

void bind_explanations(py::module_& m) {
  py::class_<exchange_estimate>(m, "ExchangeEstimate")
      .def_readonly("node_messages", &exchange_estimate::node_messages)
      .def_readonly("node_bytes", &exchange_estimate::node_bytes)
      .def_readonly("network_messages", &exchange_estimate::network_messages)
      .def_readonly("network_bytes", &exchange_estimate::network_bytes)
      .def_readonly("seconds", &exchange_estimate::seconds);

  py::class_<candidate_estimate>(m, "CandidateEstimate")
      .def_readonly("algorithm", &candidate_estimate::algorithm)
      .def_readonly("schedule", &candidate_estimate::schedule)
      .def_readonly("input", &candidate_estimate::in)
      .def_readonly("output", &candidate_estimate::out)
      .def_readonly("exchange", &candidate_estimate::exchange)
      .def_readonly("local", &candidate_estimate::local)
      .def_readonly("threads", &candidate_estimate::threads)
      .def_readonly("parts", &candidate_estimate::parts)
      .def_readonly("ranks", &candidate_estimate::ranks)
      .def_readonly("seconds", &candidate_estimate::seconds)
      .def_readonly("compute_seconds", &candidate_estimate::compute_seconds)
      .def_readonly("passes", &candidate_estimate::passes)
      .def_readonly("exchanges", &candidate_estimate::exchanges)
      .def_readonly("array_bytes", &candidate_estimate::array_bytes)
      .def_readonly("measured_seconds", &candidate_estimate::measured_seconds)
      .def_readonly("workspace_bytes", &candidate_estimate::workspace_bytes)
      .def_readonly("verdict", &candidate_estimate::verdict)
      .def("__repr__", [](const candidate_estimate& c) {
        return "<weft candidate " + c.algorithm + ": " + c.schedule + ", " + c.verdict + ">";
      });

  py::class_<explanation>(m, "Explanation", "What there was to choose from, at which price, and why others lost.")
      .def_readonly("ranks", &explanation::ranks)
      .def_readonly("machine", &explanation::machine)
      .def_readonly("wisdom", &explanation::wisdom)
      .def_readonly("candidates", &explanation::candidates)
      .def_property_readonly("chosen", [](const explanation& e) { return e.candidates.at(0); })
      .def_property_readonly("refused",
                             [](const explanation& e) {
                               py::dict reasons;
                               for (const auto& r : e.refused) reasons[py::cast(r.algorithm)] = r.reason;
                               return reasons;
                             })
      .def("text", &explanation::text, py::arg("most") = 10)
      .def("__str__", [](const explanation& e) { return e.text(); })
      .def("__repr__", [](const explanation& e) { return e.text(); });

  m.def(
      "explain", [](const problem& what, const options& how, int ranks) { return explain(what, how, ranks); },
      without_interpreter());

  py::class_<plan_report>(m, "Report", "What a plan does each time it runs; counts are this rank's.")
      .def_readonly("algorithm", &plan_report::algorithm)
      .def_readonly("exchange", &plan_report::exchange)
      .def_readonly("local", &plan_report::local)
      .def_readonly("threads", &plan_report::threads)
      .def_readonly("ranks", &plan_report::ranks)
      .def_readonly("schedule", &plan_report::schedule)
      .def_readonly("exchanges", &plan_report::exchanges)
      .def_readonly("messages", &plan_report::messages)
      .def_readonly("bytes", &plan_report::bytes)
      .def_readonly("travels_as", &plan_report::travels_as)
      .def_readonly("led", &plan_report::led)
      .def_readonly("workspace_bytes", &plan_report::workspace_bytes)
      .def_readonly("arrays", &plan_report::arrays)
      .def_readonly("timed", &plan_report::timed)
      .def_readonly("wisdom", &plan_report::wisdom)
      .def_readonly("kept", &plan_report::kept)
      .def_readonly("network", &plan_report::network)
      .def("__repr__", [](const plan_report& r) {
        return "<weft report: algorithm " + r.algorithm + ", exchange " + r.exchange + ", local " + r.local + ", " +
               r.schedule + "; workspace " + std::to_string(r.workspace_bytes) + " bytes, arrays " + r.arrays + ">";
      });

  py::enum_<activity>(m, "Activity")
      .value("transform", activity::transform)
      .value("copy", activity::copy)
      .value("exchange", activity::exchange)
      .value("wait", activity::wait)
      .value("download", activity::download)
      .value("upload", activity::upload);
}

}  // namespace weft::python
