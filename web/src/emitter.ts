// Those who want to know of something, and are told.
export class Emitter<Events extends object> {
  private readonly listeners = new Map<keyof Events, Set<(value: never) => void>>();

  // Gives the function that ends it.
  on<K extends keyof Events>(name: K, listener: (value: Events[K]) => void): () => void {
    let set = this.listeners.get(name);
    if (!set) this.listeners.set(name, (set = new Set()));
    set.add(listener as (value: never) => void);
    return () => set.delete(listener as (value: never) => void);
  }

  tell<K extends keyof Events>(name: K, value: Events[K]): void {
    for (const listener of this.listeners.get(name) ?? []) {
      (listener as (value: Events[K]) => void)(value);
    }
  }
}
