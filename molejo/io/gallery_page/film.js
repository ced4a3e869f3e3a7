// The film of a card, as molejo/io/gallery_film.h has it.
function numbers_of(text, Kind) {
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  return new Kind(bytes.buffer);
}

function decoded_mesh(mesh) {
  const { middle, size } = mesh;
  const scale = size / 32767;
  const points = Float32Array.from(numbers_of(mesh.points, Int16Array), (v, i) => middle[i % 3] + scale * v);
  const normals = numbers_of(mesh.normals, Int8Array);
  const indices = mesh.indices ? numbers_of(mesh.indices, Uint32Array) : numbers_of(mesh.short_indices, Uint16Array);
  return { points, normals, indices };
}

class Film {
  constructor(data) {
    this.camera = data.camera;
    this.times = data.times;
    this.start = data.times[0] ?? 0;
    this.end = data.times.at(-1) ?? 0;
    this.meshes = data.meshes.map(decoded_mesh);
    this.actors = data.actors.map((actor) => {
      if (actor.rest) return { rest: { R: matrix(actor.rest, 3), p: actor.rest.slice(0, 3), stretch: 1 } };
      return { ...actor, frames: numbers_of(actor.frames, Int16Array), width: actor.stretch ? 8 : 7 };
    });
    this.parts = data.parts.map((part) => ({
      actor: part.actor, ground: part.ground === true, floor: part.floor, mesh: this.meshes[part.mesh], R: matrix(part.pose, 3), p: part.pose.slice(0, 3),
      color: part.color.map((c, k) => (k < 3 ? 255 * Math.min(1, Math.max(0, c)) : c)),
    }));
    // transparent parts last, over what is behind them
    this.parts.sort((a, b) => (b.color[3] >= 1) - (a.color[3] >= 1));
    this.bodies = this.parts.filter((p) => p.mesh);
    this.planes = this.parts.filter((p) => !p.mesh);
    this.seek(this.start);
  }

  moves(part) { return this.actors[part.actor].rest === undefined; }

  // Where the actors are then: between two frames, positions on a line, quaternions the short way.
  seek(time) {
    const { times } = this;
    let low = 0, high = Math.max(0, times.length - 1);
    while (high - low > 1) {
      const middle = low + high >> 1;
      if (times[middle] <= time) low = middle; else high = middle;
    }
    const span = times[high] - times[low];
    const f = span > 0 ? Math.min(1, Math.max(0, (time - times[low]) / span)) : 0;
    this.poses = this.actors.map((actor) => actor.rest ?? this.between(actor, low, high, f));
  }

  between({ frames, width, middle, size, stretch }, low, high, f) {
    const a = low * width, b = high * width, scale = size / 32767;
    const at = (i) => frames[a + i] + f * (frames[b + i] - frames[a + i]);
    let cosine = 0;
    for (let i = 3; i < 7; ++i) cosine += frames[a + i] * frames[b + i];
    const side = cosine < 0 ? -1 : 1;
    const q = [3, 4, 5, 6].map((i) => (1 - f) * frames[a + i] + f * side * frames[b + i]);
    return { R: matrix(q, 0), p: [0, 1, 2].map((i) => middle[i] + scale * at(i)),
      stretch: stretch ? stretch * at(7) / 32767 : 1 };
  }
}
