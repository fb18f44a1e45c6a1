// SPDX-License-Identifier: BSD-3-Clause
// Distributions, layouts, problems and options.
#include "bindings.hpp"

namespace weft::python {

namespace {

py::array_t<integer> indices_of(const distribution& how, int rank, int axis) {
  const axis_part part = how.part(rank, axis);
  py::array_t<integer> all(count(part));
  auto* const values = all.mutable_data();
  for (const auto& s : part) {
    for (integer k = 0; k < s.indices.count; ++k) values[s.positions[k]] = s.indices[k];
  }
  return all;
}

/// The part as one progression (first, step, count), none if it takes several.
py::object progression_of(const distribution& how, int rank, int axis) {
  const axis_part part = how.part(rank, axis);
  if (part.empty()) return py::make_tuple(0, 1, 0);
  if (part.size() > 1) return py::none();
  return py::make_tuple(part[0].indices.first, part[0].indices.step, part[0].indices.count);
}

std::vector<box> boxes_from(const std::vector<std::pair<extents, extents>>& pairs) {
  std::vector<box> boxes;
  for (const auto& [low, high] : pairs) boxes.push_back({low, high});
  return boxes;
}

std::vector<std::pair<extents, extents>> pairs_from(const std::vector<box>& boxes) {
  std::vector<std::pair<extents, extents>> pairs;
  for (const auto& b : boxes) pairs.emplace_back(b.low, b.high);
  return pairs;
}

void bind_distribution(py::module_& m) {
  py::class_<distribution>(m, "Distribution", "Which rank owns which indices of an array.")
      .def_static(
          "parse",
          [](const std::string& text, const extents& shape, const std::vector<int>& on) {
            return distribution::parse(text, shape, grid(on));
          },
          py::arg("text"), py::arg("shape"), py::arg("grid") = std::vector<int>{})
      .def_static(
          "bricks",
          [](const extents& shape, const std::vector<std::pair<extents, extents>>& boxes) {
            return distribution::bricks(shape, boxes_from(boxes));
          },
          py::arg("shape"), py::arg("boxes"), "One box (low, high) for each rank.")
      .def_static(
          "balanced_bricks",
          [](const extents& shape, const std::vector<int>& on) { return distribution::bricks(shape, grid(on)); },
          py::arg("shape"), py::arg("grid"), "Balanced boxes on a grid with one axis for each axis of the array.")
      .def_property_readonly("shape", [](const distribution& d) { return py::tuple(py::cast(d.shape())); })
      .def_property_readonly("grid", [](const distribution& d) { return py::tuple(py::cast(d.on().shape())); })
      .def_property_readonly("ndim", &distribution::axes)
      .def_property_readonly("ranks", &distribution::ranks, "Ranks that may own something; those past it own nothing.")
      .def_property_readonly("is_bricks", &distribution::is_bricks)
      .def_property_readonly("boxes", [](const distribution& d) { return pairs_from(d.boxes()); })
      .def_property_readonly("text", &distribution::text)
      .def_property_readonly("chains_text", &distribution::chains_text)
      .def("is_local", &distribution::is_local, py::arg("axis"))
      .def(
          "local_shape", [](const distribution& d, int rank) { return py::tuple(py::cast(d.local_shape(rank))); },
          py::arg("rank"))
      .def("local_size", &distribution::local_size, py::arg("rank"))
      .def("indices", &indices_of, py::arg("rank"), py::arg("axis"), "Global indices by local position.")
      .def("_progression", &progression_of, py::arg("rank"), py::arg("axis"))
      .def(
          "owner", [](const distribution& d, const extents& index) { return d.owner(index); }, py::arg("index"))
      .def("with_shape", &distribution::with_shape, py::arg("shape"))
      .def(
          "same_ownership",
          [](const distribution& a, const distribution& b, int ranks) { return same_ownership(a, b, ranks); },
          py::arg("other"), py::arg("ranks"))
      .def(
          "__eq__", [](const distribution& a, const distribution& b) { return a == b; }, py::is_operator())
      .def("__hash__", [](const distribution& d) { return py::hash(py::cast(to_text(d.shape()) + " " + d.text())); })
      .def("__str__", &distribution::text)
      .def("__repr__",
           [](const distribution& d) { return "<weft.Distribution " + d.text() + " of " + to_text(d.shape()) + ">"; })
      .def(py::pickle([](const distribution& d) { return py::make_tuple(d.text(), d.shape(), d.on().shape()); },
                      [](const py::tuple& state) {
                        return distribution::parse(state[0].cast<std::string>(), state[1].cast<extents>(),
                                                   grid(state[2].cast<std::vector<int>>()));
                      }));
}

void bind_layout(py::module_& m) {
  py::class_<layout>(m, "Layout", "Where the elements of a rank's array lie in memory, counted in elements.")
      .def(py::init([](const extents& strides, integer offset) {
             return layout{strides, offset};
           }),
           py::arg("strides") = extents{}, py::arg("offset") = 0)
      .def_property_readonly("strides", [](const layout& l) { return py::tuple(py::cast(l.strides)); })
      .def_readonly("offset", &layout::offset)
      .def(
          "span", [](const layout& l, const extents& shape) { return span_of(l, shape); }, py::arg("local_shape"))
      .def(
          "__eq__", [](const layout& a, const layout& b) { return a == b; }, py::is_operator())
      .def("__repr__", [](const layout& l) { return "<weft.Layout " + to_text(l) + ">"; });
  m.def("ghosted", &ghosted, py::arg("local_shape"), py::arg("before"), py::arg("after"),
        "A local array inside one that is larger by so many elements on each axis.");
}

/// The interpreter is let go while a plan measures, and taken for a moment to report.
std::function<bool(const planning_progress&)> called_back(const py::object& report) {
  if (report.is_none()) return {};
  // The last copy may go without the interpreter.
  const std::shared_ptr<py::object> kept(new py::object(report), [](py::object* o) {
    const py::gil_scoped_acquire interpreter;
    delete o;
  });
  return [kept](const planning_progress& p) {
    const py::gil_scoped_acquire interpreter;
    return (*kept)(p.done, p.total, p.best_seconds, p.best).cast<bool>();
  };
}

wanted wanted_from(const py::object& value) {
  if (py::isinstance<distribution>(value)) return value.cast<distribution>();
  return value.cast<std::string>();
}

void bind_problem(py::module_& m) {
  py::enum_<transform_kind>(m, "TransformKind")
      .value("c2c", transform_kind::c2c)
      .value("r2c", transform_kind::r2c)
      .value("r2r", transform_kind::r2r);
  py::enum_<precision>(m, "Precision").value("f32", precision::f32).value("f64", precision::f64);
  py::enum_<effort>(m, "Effort")
      .value("estimate", effort::estimate)
      .value("measure", effort::measure)
      .value("patient", effort::patient);
  py::enum_<normalization>(m, "Normalization")
      .value("none", normalization::none)
      .value("forward", normalization::forward)
      .value("backward", normalization::backward)
      .value("ortho", normalization::ortho);

  py::class_<problem>(m, "Problem")
      .def(py::init<>())
      .def_readwrite("shape", &problem::shape)
      .def_readwrite("kind", &problem::kind)
      .def_readwrite("kinds", &problem::kinds)
      .def_readwrite("element", &problem::element)
      .def_readwrite("axes", &problem::axes)
      .def_readwrite("modes", &problem::modes)
      .def("set_input_box",
           [](problem& p, extents low, extents high) {
             p.input_box = {std::move(low), std::move(high)};
           })
      .def("set_output_box",
           [](problem& p, extents low, extents high) {
             p.output_box = {std::move(low), std::move(high)};
           })
      .def_readwrite("real_axis", &problem::real_axis)
      .def_readwrite("batch", &problem::batch)
      .def_readwrite("interleaved", &problem::interleaved)
      .def("set_in", [](problem& p, const py::object& value) { p.in = wanted_from(value); })
      .def("set_out", [](problem& p, const py::object& value) { p.out = wanted_from(value); })
      .def("set_like", [](problem& p, const distribution& in, const distribution& out) {
        p.in = wanted::like(in);
        p.out = wanted::like(out);
      });

  py::class_<arena>(m, "Arena", "The workspace of plans that never run at the same time.")
      .def(py::init(&arena::growing), "Grows to what the largest of its plans needs.")
      .def(py::init([](py::array& memory) {
             if ((memory.flags() & py::array::c_style) == 0 || !memory.writeable()) {
               throw buffer_error("an arena is over memory that is contiguous and can be written");
             }
             auto* const first = static_cast<std::byte*>(memory.mutable_data());
             return arena::over({first, static_cast<std::size_t>(memory.nbytes())});
           }),
           py::arg("memory"), py::keep_alive<1, 2>(), "Over the memory of an array, which is kept.")
      .def_property_readonly("bytes", &arena::bytes, "What it has grown to, or was given.");

  py::class_<options>(m, "Options")
      .def(py::init<>())
      .def_readwrite("algorithm", &options::algorithm)
      .def_readwrite("exchange", &options::exchange)
      .def_readwrite("local", &options::local)
      .def_readwrite("grid", &options::grid)
      .def_readwrite("threads", &options::threads)
      .def_readwrite("planning", &options::planning)
      .def_readwrite("planning_seconds", &options::planning_seconds)
      .def("set_on_progress", [](options& o, const py::object& report) { o.on_progress = called_back(report); })
      .def_readwrite("wisdom", &options::wisdom)
      .def_readwrite("deterministic", &options::deterministic)
      .def_readwrite("message_tolerance", &options::message_tolerance)
      .def_readwrite("memory_limit", &options::memory_limit)
      .def_readwrite("peer_timeout", &options::peer_timeout)
      .def(
          "set_workspace", [](options& o, const arena& where) { o.workspace = where; }, py::keep_alive<1, 2>())
      .def_readwrite("idle_ranks", &options::idle_ranks)
      .def_readwrite("machine", &options::machine)
      .def_readwrite("scaling", &options::scaling)
      .def_readwrite("in_place", &options::in_place)
      .def_readwrite("destroy_input", &options::destroy_input)
      .def_readwrite("input_layout", &options::input_layout)
      .def_readwrite("output_layout", &options::output_layout);
}

}  // namespace

void bind_values(py::module_& m) {
  bind_distribution(m);
  bind_layout(m);
  bind_problem(m);
}

}  // namespace weft::python
