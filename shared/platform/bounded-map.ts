/** Puts the entry at the end of the map's order and removes the first entries above the limit. */
export function putBounded<K, V>(map: Map<K, V>, key: K, value: V, maxEntries: number): void {
  map.delete(key);
  map.set(key, value);
  for (const oldest of map.keys()) {
    if (map.size <= maxEntries) return;
    map.delete(oldest);
  }
}
