// Tables of commands: what acts when, and one clear line for each that is wrong.
#include "molejo/io/command_table.h"

#include <doctest/doctest.h>

#include "molejo/physics/world.h"
#include "tests/support/error_text.h"
#include "tests/support/models.h"

using namespace molejo;
using namespace molejo::test;

namespace {

Command<double> at(const CommandTable& table, const Model& model, double t) {
  Command<double> command(model);
  // what was there before is replaced
  for (double& force : command.forces) force = 7;
  command.wrenches.push_back({{0}, {}, {1, 1, 1}, {}});
  table.fill(t, command);
  return command;
}

}  // namespace

TEST_CASE("command table: a row acts from its time to the next one, the last for ever") {
  const Model model = build(shipped_scene("cart_pole")).model;
  const std::size_t rail = freedom(model, "rail"), hinge = freedom(model, "hinge");
  const CommandTable table(
      "t, rail.force, hinge.position, hinge.stiffness, pole.force.x, pole.torque.y, pole.point.z\n"
      "1,  2.5,       ,               ,                4,            ,              -0.5\n"
      "\n"
      "2,  ,          0.25,           30,              ,             1e-1,          \r\n"
      "3,  -1,        ,               ,                0,            ,              1\n",
      "a.csv", model);
  CHECK(!acting(model, at(table, model, 0.999)).any());
  for (const double t : {1.0, 1 - 1e-12, 1.5, 1.999}) {
    const Command<double> c = at(table, model, t);
    CHECK(c.forces[rail] == 2.5);
    CHECK(c.forces[hinge] == 0);
    CHECK(c.motors[hinge].on == 0);
    REQUIRE(c.wrenches.size() == 1);
    CHECK(c.wrenches[0].body == model.body("pole"));
    CHECK(c.wrenches[0].force == Vec3{4, 0, 0});
    CHECK(c.wrenches[0].p == Vec3{0, 0, -0.5});
  }
  const Command<double> second = at(table, model, 2);
  CHECK(second.forces[rail] == 0);
  CHECK(second.motors[hinge].on == 1);
  CHECK(second.motors[hinge].position == 0.25);
  CHECK(second.motors[hinge].stiffness == 30);
  CHECK(second.motors[hinge].damping == 0);
  CHECK(second.wrenches.at(0).torque == Vec3{0, 0.1, 0});
  for (const double t : {3.0, 1e6}) {
    const Command<double> c = at(table, model, t);
    CHECK(c.forces[rail] == -1);
    CHECK(c.motors[hinge].on == 0);
    CHECK(c.wrenches.empty());
  }
}

TEST_CASE("command table: freedoms are numbered where a joint has several, names may be quoted") {
  const Model model = build(shipped_scene("ragdoll")).model;
  const CommandTable table("\xef\xbb\xbft,\"neck.force2\",left_arm.elbow.velocity0\r\n0,1,2\r\n",
                           "a.csv", model);
  const Command<double> c = at(table, model, 0);
  CHECK(c.forces[freedom(model, "neck", 2)] == 1);
  CHECK(c.motors[freedom(model, "left_arm.elbow", 0)].velocity == 2);
}

TEST_CASE("command table: what is wrong is told in one line") {
  const Model arm = build(shipped_scene("cart_pole")).model,
              doll = build(shipped_scene("ragdoll")).model;
  const auto refusal = [](const std::string& text, const Model& model) {
    return error_text<InputError>([&] { CommandTable(text, "a.csv", model); });
  };
  CHECK(refusal("", arm) == "a.csv: expected a line of column names, the first one 't'");
  CHECK(refusal("rail.force\n", arm) == "a.csv:1: 'rail.force': expected 't' as the first column");
  CHECK(refusal("t,rial.force\n", arm) ==
        "a.csv:1: column 'rial.force': unknown joint 'rial'; did you mean 'rail'?");
  CHECK(refusal("t,pol.force.x\n", arm) ==
        "a.csv:1: column 'pol.force.x': unknown body 'pol'; did you mean 'pole'?");
  CHECK(refusal("t,rail.push\n", arm) ==
        "a.csv:1: column 'rail.push': expected t, JOINT.force, JOINT.position, .velocity, "
        ".stiffness or .damping, or BODY.force.x, BODY.torque.x or BODY.point.x");
  CHECK(refusal("t,rail.force,rail.force0\n", arm) ==
        "a.csv:1: column 'rail.force0': is there twice");
  CHECK(refusal("t,rail.force1\n", arm) ==
        "a.csv:1: column 'rail.force1': joint 'rail' has no freedom 1: it has 1");
  CHECK(refusal("t,neck.force\n", doll) ==
        "a.csv:1: column 'neck.force': joint 'neck' has 3 freedoms: expected 'neck.force0', ...");
  CHECK(refusal("t,\n", arm) == "a.csv:1: column '': expected a name");
  CHECK(refusal("t,\"rail.force\n", arm) == "a.csv:1: a quote that is not closed");
  CHECK(refusal("t,rail.force\n0,1\n\n1,5 N\n", arm) ==
        "a.csv:4: column 'rail.force': '5 N': expected a number");
  for (const char* bad : {"nan", "inf", "1e400", "0x1", "1,", "--1", "+-1", "-+1", "++1"}) {
    CHECK(refusal(std::string("t,rail.force\n0,") + bad + "\n", arm).starts_with("a.csv:2: "));
  }
  CHECK(refusal("t,rail.force\n0,1,2\n", arm) ==
        "a.csv:2: 3 fields: expected 2, as in the first line");
  CHECK(refusal("t,rail.force\n,1\n", arm) == "a.csv:2: column 't': '': expected a number");
  CHECK(refusal("t,rail.force\n0,1\n0,2\n", arm) ==
        "a.csv:3: column 't': 0: expected a time after 0");
  CHECK(refusal("t,rail.stiffness\n0,-1\n", arm) ==
        "a.csv:2: column 'rail.stiffness': -1: expected no less than 0");
  CHECK(refusal("t" + std::string(100, ',') + "\n", arm) ==
        "a.csv:1: 100 columns: there are 37 things to command");
}

TEST_CASE("command table: a run that follows it is one that is told at the same steps") {
  const Scene scene = shipped_scene("motor_arm");
  const Built built = build(scene);
  const std::string joint = scene.joints[0].name;
  const CommandTable table("t," + joint + ".force\n0,1\n0.1,-2\n0.2,\n", "a.csv", built.model);
  Settings settings = scene.settings;
  settings.duration = 0.4;
  settings.fps = 10;
  Run follows(built, settings), told(built, settings);
  follows.set_controller([&](const State& s, Command<double>& c) { table.fill(s.t, c); });
  Frame a, b;
  std::vector<ContactEvent> events;
  Command<double> command(built.model);
  const double forces[] = {1, -2, 0, 0};
  follows.next_frame(a, events), told.next_frame(b, events);
  for (const double force : forces) {
    command.forces[freedom(built.model, joint)] = force;
    told.set_command(command);
    follows.next_frame(a, events), told.next_frame(b, events);
    CHECK(hash(a.state) == hash(b.state));
  }
}
