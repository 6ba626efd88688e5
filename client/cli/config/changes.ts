import type { Config } from './config.ts';

/** What is different in the second settings, a line for each setting; none if they are the same. */
export function changesOf(before: Config, after: Config): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].flatMap((name) => changeOf(name, fieldOf(before, name), fieldOf(after, name)));
}

function changeOf(name: string, before: unknown, after: unknown): string[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  if (Array.isArray(before ?? []) && Array.isArray(after ?? [])) {
    const [former, present] = [textsOf(before), textsOf(after)];
    const added = present.filter((text) => !former.includes(text)).map((text) => `+ ${text}`);
    const removed = former.filter((text) => !present.includes(text)).map((text) => `- ${text}`);
    const changed = [...removed, ...added];
    return [`${name}: ${changed.length === 0 ? 'another order' : changed.join(', ')}`];
  }
  if (before === undefined) return [`${name}: ${JSON.stringify(after)} (new)`];
  if (after === undefined) return [`${name}: removed, was ${JSON.stringify(before)}`];
  return [`${name}: ${JSON.stringify(after)}, was ${JSON.stringify(before)}`];
}

/** Ids as they are, holdings as JSON. */
function textsOf(list: unknown): string[] {
  return Array.isArray(list)
    ? list.map((item) => (typeof item === 'string' ? item : JSON.stringify(item)))
    : [];
}

function fieldOf(config: Config, name: string): unknown {
  return Object.entries(config).find(([key]) => key === name)?.[1];
}
