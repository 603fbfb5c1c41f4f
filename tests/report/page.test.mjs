// The page's arithmetic, run by node on fixtures that Python wrote (FIXTURES is their file): tests/report/test_page_numbers.py.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import test from "node:test";
import { fileURLToPath } from "node:url";
import vm from "node:vm";

const here = dirname(fileURLToPath(import.meta.url));
const script = readFileSync(join(here, "..", "..", "deabench", "report", "templates", "page.js"), "utf8");
const page = vm.runInThisContext(`${script};deabench`);
const fixtures = JSON.parse(readFileSync(process.env.FIXTURES, "utf8"));
const near = (a, b, by, words) => assert.ok(Math.abs(a - b) <= by, `${words}: ${a} and ${b}`);

function world(data, state) {
  const made = new page.World(data, false);
  Object.assign(made.state, state);
  return made;
}
const whole = (data, space, point) => {
  const values = data.metrics.map(() => null);
  space.metrics.forEach((m, r) => { values[m] = point[r]; });
  return values;
};

for (const { name, data, points, cases } of fixtures.targets) {
  for (const { norm, on, goal, position, distance, target, unique } of cases) {
    test(`targets of ${name}, ${norm}, ${on}, ${goal}`, () => {
      const one = world(data, { norm, on, goal });
      points.forEach((point, k) => {
        const said = one.verdict(whole(data, one.space, point));
        assert.equal(said.position, position[k], `point ${k}`);
        assert.equal(said.distance === null, distance[k] === null, `point ${k}`);
        if (distance[k] === null) return;
        near(said.distance, distance[k], 1e-9 * Math.max(1, distance[k]), `distance of ${k}`);
        const size = one.space.metrics.map((m) => Math.max(...data.values[m].map(Math.abs)));
        if (unique) said.target.forEach((v, r) => near(v, target[k][r], 1e-8 * size[r], `target of ${k}`));
        said.gaps.forEach((v, r) => near(v, said.target[r] - point[r], 0, "gap"));
        if (goal === "better") said.gaps.forEach((v, r) => assert.ok(v * data.metrics[one.space.metrics[r]].sign >= -1e-9 * size[r], `gap of ${k}`));
        if (on === "faces") tight(data, one.space, said.target);
      });
    });
  }
}

/** A target is on the frontier: no facet is exceeded and one is met, in boxed metrics. */
function tight(data, space, target) {
  const z = space.boxed(target), reach = data.front.hull.normals.map((w) => w.reduce((t, v, r) => t + v * z[r], 0));
  near(Math.max(...reach), 1, 1e-9, "the farthest facet");
}

for (const { name, data, points, efficiency } of fixtures.scores) {
  test(`efficiencies of new points, ${name}`, () => {
    const one = world(data, {});
    points.forEach((point, k) => near(one.verdict(whole(data, one.space, point)).efficiency, efficiency[k], 1e-9, `point ${k}`));
  });
}

for (const { name, data, points } of fixtures.sections) {
  test(`sections, ${name}`, () => {
    const one = world(data, {}), [x, y] = data.first;
    for (const point of points) {
      const found = one.space.section(point, x, y, true);
      assert.ok(found, "a point that is attained has a section");
      for (const [a, b] of found.corners) {
        const corner = point.slice();
        corner[one.space.metrics.indexOf(x)] = a;
        corner[one.space.metrics.indexOf(y)] = b;
        tight(data, one.space, corner);
      }
      // between two corners, and beyond by a little: on, and outside
      for (let k = 1; k < found.corners.length; k++) {
        const mid = point.slice(), [p, q] = [found.corners[k - 1], found.corners[k]];
        mid[one.space.metrics.indexOf(x)] = (p[0] + q[0]) / 2;
        mid[one.space.metrics.indexOf(y)] = (p[1] + q[1]) / 2;
        tight(data, one.space, mid);
      }
    }
  });
}

for (const { name, data, points, position, nearest } of fixtures.alone) {
  test(`without mixtures, ${name}`, () => {
    const one = world(data, { mixtures: false, norm: "l1", goal: "closest" });
    points.forEach((point, k) => {
      const said = one.verdict(whole(data, one.space, point));
      assert.equal(said.position, position[k], `point ${k}`);
      near(said.distance, nearest[k], 1e-9 * Math.max(1, nearest[k]), `distance of ${k}`);
    });
  });
}

test("a space whose facets are too many gives positions and efficiencies, and says why there is no target", () => {
  for (const { data, points, position } of fixtures.many) {
    const one = world(data, { goal: "closest" });
    assert.equal(world(data, {}).state.goal, "peers");
    points.forEach((point, k) => {
      const said = one.verdict(whole(data, one.space, point));
      assert.equal(said.position, position[k], `point ${k}`);
      assert.equal(said.target, null);
      assert.match(said.why, /too many/);
    });
  }
});

test("an address is read back as it was written, and nonsense in it changes nothing", () => {
  const { data } = fixtures.targets[1], one = world(data, {}), two = world(data, {});
  one.set({ x: 2, y: 0, norm: "l2", on: "facets", mixtures: false, goal: "closest", chosen: 5, moved: [0.25, 0.5, 0.125] });
  one.set({ limits: new Map([[-1, [0.5, 0.9]], [1, [0.1, 0.7]]]), weights: [0, 2.5, 1], ratio: 3, prevalence: 0.2, budgets: [null, 0.3, null] });
  two.recall(one.address());
  assert.deepEqual(two.state, one.state);
  for (const wrong of ["x=nobody&norm=l7&at=1 2&weights=a b c&ratio=-3&positives=4&keep=TPR~9~1&budget=~x", "=&=&%F0", "section"]) {
    const three = world(data, {});
    three.recall(wrong);
    assert.deepEqual(three.state, world(data, {}).state);
  }
});

test("a name is found in any case and by a part of it, the best ranked first", () => {
  const { data } = fixtures.targets[1], one = world(data, {}), name = data.labels[3];
  assert.equal(one.where(name), 3);
  assert.equal(one.where(name.toUpperCase()), 3);
  const part = name.slice(0, 2).toLowerCase(), all = data.ranking.order.filter((i) => data.labels[i].toLowerCase().includes(part));
  assert.ok(all.length > 1);
  assert.equal(one.where(part), data.labels.findIndex((label) => label.toLowerCase() === part) >= 0 ? one.where(part) : all[0]);
  assert.equal(one.where("no such name"), -1);
});

test("like its peers: the target is the ranking's mixture, and a moved point has none", () => {
  for (const { data } of fixtures.targets) {
    const one = world(data, { goal: "peers" });
    data.labels.forEach((_, i) => {
      const said = one.verdictOf(i), flat = data.ranking.peers[i];
      said.target?.forEach((v, r) => {
        const column = data.values[one.space.metrics[r]];
        let sum = 0;
        for (let k = 0; k < flat.length; k += 2) sum += flat[k + 1] * column[data.ranking.own[flat[k]]];
        near(v, sum, 1e-9 * Math.max(1, Math.abs(sum)), `target of ${i}`);
      });
      assert.ok(said.target);
    });
    assert.equal(one.verdict(data.values.map((column) => column[0])).target, null);
  }
});

test("values that cannot be are refused in words", () => {
  const one = world(fixtures.targets[0].data, {});
  assert.equal(one.refused(0, 0.5), "");
  assert.equal(one.refused(0, 1003), "TPR is at most 1");
  assert.equal(one.refused(0, -5), "TPR is at least 0");
  assert.equal(one.refused(0, Infinity), "TPR is to be a number");
});
