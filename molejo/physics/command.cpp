#include "molejo/physics/command.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "molejo/model/error.h"
#include "molejo/physics/command_kernel.h"
#include "molejo/physics/index.h"

namespace molejo {

template struct Command<double>;
template Acting<double> acting(const Model&, const Command<double>&);

JointRange joint_range(const Model& model, const std::string& joint) {
  // in maximal coordinates a free joint has the name of its body, which may be that of a loop
  for (const LoopJoint& loop : model.loops) {
    if (loop.name == joint) return {loop.first_motor, freedoms(loop.type).count()};
  }
  const auto is_of = [&](const Body& body) {
    return body.joint == joint ||
           (joint.ends_with(".joint") && joint.starts_with(body.name) &&
            joint.size() == body.name.size() + std::string_view(".joint").size());
  };
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    if (!is_of(model.bodies[i])) continue;
    return {model.links[i].v, model.links[i].translations + model.links[i].rotations};
  }
  std::vector<std::string> names;
  for (const LoopJoint& loop : model.loops) names.push_back(loop.name);
  for (const Body& b : model.bodies) names.push_back(b.joint.empty() ? b.name + ".joint" : b.joint);
  throw InputError(unknown_word("joint", joint, names));
}

std::size_t freedom(const Model& model, const std::string& joint, int part) {
  const JointRange range = joint_range(model, joint);
  if (part < 0 || part >= range.count) {
    throw InputError("joint '" + joint + "' has no freedom " + std::to_string(part) + ": it has " +
                     std::to_string(range.count));
  }
  return index(range.first + part);
}

namespace {

// Of a freedom, as freedom() takes them.
std::string name_of_freedom(const Model& model, int n) {
  const auto name = [&](const std::string& joint, int first, int count) {
    const std::string part = count > 1 ? " freedom " + std::to_string(n - first) : "";
    return "joint '" + joint + "'" + part;
  };
  for (std::size_t i = 0; i < model.links.size(); ++i) {
    const Link& link = model.links[i];
    const int count = link.translations + link.rotations;
    if (n < link.v || n >= link.v + count) continue;
    const Body& body = model.bodies[i];
    return name(body.joint.empty() ? body.name + ".joint" : body.joint, link.v, count);
  }
  for (const LoopJoint& loop : model.loops) {
    const int count = freedoms(loop.type).count();
    if (n < loop.first_motor + count) return name(loop.name, loop.first_motor, count);
  }
  return "freedom " + std::to_string(n);
}

bool is_finite(const Vec3& x) {
  return std::isfinite(x.x) && std::isfinite(x.y) && std::isfinite(x.z);
}

std::string shown(double x) {
  char text[40];
  std::snprintf(text, sizeof text, "%g", x);
  return text;
}

std::string motor_trouble(const MotorTarget<double>& m) {
  const auto bad = [](double x) { return !std::isfinite(x); };
  if (bad(m.position)) return "position " + shown(m.position) + ": expected a finite number";
  if (bad(m.velocity)) return "velocity " + shown(m.velocity) + ": expected a finite number";
  if (bad(m.stiffness)) return "stiffness " + shown(m.stiffness) + ": expected a finite number";
  if (bad(m.damping)) return "damping " + shown(m.damping) + ": expected a finite number";
  if (m.stiffness < 0) return "stiffness " + shown(m.stiffness) + ": expected no less than 0";
  if (m.damping < 0) return "damping " + shown(m.damping) + ": expected no less than 0";
  if (m.on != 0 && m.on != 1) return "on " + shown(m.on) + ": expected 0 or 1";
  return {};
}

}  // namespace

std::string command_trouble(const Model& model, const Command<double>& command) {
  const std::size_t count = command.forces.size();
  if (count != index(model.motors) || count != command.motors.size()) {
    return "a command of " + std::to_string(count) + " forces and " +
           std::to_string(command.motors.size()) + " motors: the model has " +
           std::to_string(model.motors) + " freedoms";
  }
  for (std::size_t n = 0; n < count; ++n) {
    std::string trouble = motor_trouble(command.motors[n]);
    if (!std::isfinite(command.forces[n])) {
      trouble = "force " + shown(command.forces[n]) + ": expected a finite number";
    }
    if (trouble.empty()) continue;
    return "command of " + name_of_freedom(model, static_cast<int>(n)) + ": " + trouble;
  }
  for (const Wrench<double>& w : command.wrenches) {
    if (w.body.index >= model.body_count() || w.body.index < world_body.index) {
      return "wrench on body " + std::to_string(w.body.index) + ": the model has " +
             std::to_string(model.body_count()) + " bodies";
    }
    if (is_finite(w.p) && is_finite(w.force) && is_finite(w.torque)) continue;
    const std::string name =
        w.body.is_world() ? "the world" : "body '" + model.bodies[index(w.body.index)].name + "'";
    return "wrench on " + name + ": expected finite numbers";
  }
  return {};
}

bool acts_on(const Model& model, const Acting<double>& command, const Tree& tree) {
  const auto told = [&](int first, int last) {
    for (int n = first; n < last; ++n) {
      if (command.forces && command.forces[n] != 0) return true;
      if (command.motors && command.motors[n].on != 0) return true;
    }
    return false;
  };
  const auto inside = [&](BodyId body) {
    return body.index >= tree.first_link && body.index < tree.last_link;
  };
  if (told(tree.first_v, tree.last_v)) return true;
  for (const LoopJoint& loop : model.loops) {
    if (!inside(loop.body_1) && !inside(loop.body_2)) continue;
    if (told(loop.first_motor, loop.first_motor + freedoms(loop.type).count())) return true;
  }
  if (!command.wrenches) return false;
  return std::any_of(command.wrenches->begin(), command.wrenches->end(),
                     [&](const Wrench<double>& w) {
                       return inside(w.body) && (nonzero(w.force) || nonzero(w.torque));
                     });
}

}  // namespace molejo
