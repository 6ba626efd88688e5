/** Draws queries that are valid by an operation's parameters; the same ones for the same seed and values. */
import { createHash } from 'node:crypto';
import type { Operation, Parameter } from './description.ts';
import { isList, isTime, typeIn, type Values } from './values.ts';

interface Draw {
  readonly parameter: Parameter;
  readonly values: readonly string[];
}

/** The longest list of values in one parameter. */
const LIST_LENGTH = 3;

/**
 * At most `count` paths with queries: the required parameters alone, then all parameters, each with its most usual value, then
 * chosen ones, so that all values have their turn. A text instead: the name of a required parameter without a known value.
 */
export function queriesOf(
  operation: Operation,
  values: Values,
  seed: number,
  count: number,
): string[] | string {
  const random = randomOf(`${seed} ${operation.path}`);
  const pair = values.addressesOf(operation);
  const candidates = operation.parameters.map((parameter) => {
    if (parameter === pair?.network) return { parameter, values: [...pair.known.keys()] };
    if (parameter === pair?.address) return { parameter, values: [...pair.known.values()].flat() };
    return { parameter, values: values.of(operation, parameter) };
  });
  const unknown = candidates.find(({ parameter, values: known }) => parameter.required && known.length === 0);
  if (unknown) return unknown.parameter.name;

  const known = candidates.filter(({ values: all }) => all.length > 0);
  const times = new Set<string>();
  const usual = known.map(({ parameter, values: all }) => {
    const [first = ''] = isTime(parameter) ? all.filter((time) => !times.has(time)) : all;
    if (isTime(parameter)) times.add(first);
    return { parameter, values: [first] };
  });
  const group = usual.filter(({ parameter }) => values.isOneOf(operation, parameter));
  const queries = new Set<string>();
  const add = (drawn: readonly Draw[]) => {
    const isComplete = drawn.some(({ parameter }) => group.some((one) => one.parameter === parameter));
    queries.add(queryOf(operation, isComplete ? drawn : [...drawn, ...group.slice(0, 1)]));
  };
  add(usual.filter(({ parameter }) => parameter.required));
  add(usual);
  const turns = known.map(({ parameter, values: all }) => ({ parameter, next: turnsOf(all, random) }));
  for (let tries = 0; queries.size < count && tries < 3 * count; tries++) {
    const drawn = turns
      .filter(({ parameter }) => parameter.required || random() < 0.5)
      .map(({ parameter, next }) => {
        const length = isList(parameter) ? 1 + Math.floor(random() * LIST_LENGTH) : 1;
        return { parameter, values: [...new Set(Array.from({ length }, next))] };
      });
    const drawnTimes = drawn.flatMap(({ parameter, values: [time] }) => (isTime(parameter) ? time : []));
    // Nobody means a range of no length.
    if (new Set(drawnTimes).size === drawnTimes.length) add(ascending(withAddress(drawn, pair, random)));
  }
  return [...queries].slice(0, count);
}

/** Replaces a drawn address by one of the drawn network. */
function withAddress(
  drawn: readonly Draw[],
  pair: ReturnType<Values['addressesOf']>,
  random: () => number,
): readonly Draw[] {
  const [network = ''] = drawn.find(({ parameter }) => parameter === pair?.network)?.values ?? [];
  const addresses = pair?.known.get(network) ?? [];
  if (!pair || addresses.length === 0) return drawn;
  const start = Math.floor(random() * addresses.length);
  const chosen = addresses.slice(start, start + (isList(pair.address) ? LIST_LENGTH : 1));
  return drawn.map((one) => (one.parameter === pair.address ? { ...one, values: chosen } : one));
}

/** Of times, such as `from` and `to`, the first one is the earliest. */
function ascending(drawn: readonly Draw[]): readonly Draw[] {
  const times = drawn.filter(({ parameter }) => isTime(parameter)).flatMap(({ values }) => values);
  const sorted = times.sort((a, b) => Number(a) - Number(b)).values();
  return drawn.map((one) => (isTime(one.parameter) ? { ...one, values: [sorted.next().value ?? ''] } : one));
}

/** Returns the values one after the other, in a random order, and begins again after the last one. */
function turnsOf(values: readonly string[], random: () => number): () => string {
  const order = values.map((value) => ({ value, at: random() })).sort((a, b) => a.at - b.at);
  let turn = 0;
  return () => order[turn++ % order.length]?.value ?? '';
}

function queryOf({ path }: Operation, drawn: readonly Draw[]): string {
  const inPath = drawn.filter(({ parameter }) => parameter.in === 'path');
  const filled = inPath.reduce((at, one) => at.replaceAll(`{${one.parameter.name}}`, serialized(one)), path);
  const query = drawn
    .filter(({ parameter }) => parameter.in === 'query')
    .flatMap((one) => {
      const { name, explode } = one.parameter;
      const isRepeated = explode && typeIn(one.parameter.schema) === 'array';
      if (isRepeated) return one.values.map((value) => `${name}=${encodeURIComponent(value)}`);
      return `${name}=${serialized(one)}`;
    });
  return query.length > 0 ? `${filled}?${query.join('&')}` : filled;
}

/** The commas between the items of an array are separators (RFC 6570), those of a text belong to its value. */
function serialized({ parameter, values }: Draw): string {
  if (typeIn(parameter.schema) === 'array') return values.map(encodeURIComponent).join(',');
  return encodeURIComponent(values.join(','));
}

function randomOf(seed: string): () => number {
  let turn = 0;
  return () => createHash('sha256').update(`${seed} ${turn++}`).digest().readUInt32BE() / 2 ** 32;
}
