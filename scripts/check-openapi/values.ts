/**
 * Values that a parameter may have: those of its schema, those that its description lists in words, and real ones, such as
 * ids, from earlier responses of the service.
 */
import { isRecord } from '../../shared/platform/is-record.ts';
import { DAY_MS } from '../../shared/platform/time.ts';
import type { Description, Operation, Parameter } from './description.ts';

/**
 * Values by a parameter's name, or by route and name, such as `/coins/{id} id`; they replace all others. By a route alone: names
 * of optional parameters of which a query needs one, which no description can say.
 */
export type GivenValues = Readonly<Record<string, readonly unknown[]>>;

/** Rows of a list are kept evenly spread, so that not only the first letters of the alphabet are requested. */
const KEPT_ROWS = 40;
/** The second response may have what the first one left out, such as contracts. */
const KEPT_RESPONSES = 2;
const PAST_DAYS = [300, 90, 30, 7, 1];

export interface Values {
  /** The values of a parameter, the most usual one first; empty if none is known. */
  of(operation: Operation, parameter: Parameter): readonly string[];
  /** Addresses by the network that another parameter of the operation names; undefined if the operation has no such pair. */
  addressesOf(operation: Operation): Addresses | undefined;
  /** Whether parameters of other operations take values from the responses of a path. */
  isSource(path: string): boolean;
  /** Whether a query must have this parameter or another one of a group. */
  isOneOf(operation: Operation, parameter: Parameter): boolean;
  learn(path: string, body: unknown): void;
}

export interface Addresses {
  readonly network: Parameter;
  readonly address: Parameter;
  readonly known: ReadonlyMap<string, readonly string[]>;
}

export function valuesOf({ operations }: Description, given: GivenValues, now: number): Values {
  const learned = new Map<string, unknown[][]>();
  const paths = new Set(operations.filter(({ method }) => method === 'GET').map(({ path }) => path));
  const sources = new Set(
    operations.flatMap((one) => one.parameters.flatMap((parameter) => sourcesOf(one, parameter))),
  );

  /** The lists that a parameter's values are in: its description names them, or its path continues theirs. */
  function sourcesOf({ path }: Operation, { name, text, in: place }: Parameter): string[] {
    const named = Array.from(text.matchAll(/`(\/[^`]*)`/g), ([, source = '']) => source);
    const [parent = ''] = path.split(`/{${name}}`);
    const continued = place === 'path' && named.length === 0 ? [parent, `${parent}/list`] : [];
    return [...named, ...continued].filter((source) => paths.has(source));
  }

  const rowsOf = (sourcePaths: readonly string[]) =>
    sourcePaths.flatMap((source) => learned.get(source)?.flat() ?? []);

  function learnedValues(operation: Operation, parameter: Parameter): unknown[] {
    const own = sourcesOf(operation, parameter);
    if (own.length > 0) return rowsOf(own).map((row) => fieldOf(row, parameter.name, true));
    // `names` and `symbols` beside `ids` are fields of the same rows.
    return rowsOf(operation.parameters.flatMap((one) => sourcesOf(operation, one))).map((row) =>
      fieldOf(row, parameter.name, false),
    );
  }

  function of(operation: Operation, parameter: Parameter): readonly string[] {
    const { name, schema, required, text } = parameter;
    const chosen = given[`${operation.path} ${name}`] ?? given[name];
    if (chosen) return texts(chosen);
    const closed = [...enumIn(schema), ...enumIn(schema.items), ...listedIn(text)];
    if (closed.length > 0)
      return texts([...parameter.given.filter((one) => closed.includes(one)), ...closed]);
    const type = typeIn(schema);
    if (type === 'boolean') return ['true', 'false'];
    if (isTime(parameter))
      return texts([
        ...parameter.given,
        ...PAST_DAYS.map((days) => Math.floor((now - days * DAY_MS) / 1000)),
      ]);
    if (type === 'integer' || type === 'number') return texts([...parameter.given, ...boundsOf(parameter)]);
    const open = texts([
      ...parameter.given,
      ...datesFor(parameter, now),
      ...integersIn(text),
      ...learnedValues(operation, parameter),
    ]);
    // Words to search for: names of anything.
    const isSearch = open.length === 0 && required && parameter.in === 'query';
    return isSearch ? texts(rowsOf([...learned.keys()]).map((row) => fieldOf(row, 'name', false))) : open;
  }

  return {
    of,
    addressesOf(operation) {
      const address = operation.parameters.find(({ name }) => /address(es)?$/.test(name));
      const network = operation.parameters.find(
        ({ in: place, name }) => place === 'path' && name !== address?.name,
      );
      if (!address || !network) return undefined;
      const known = new Map<string, string[]>();
      const add = (name: string, added: readonly unknown[]) => {
        const addresses = texts([...(known.get(name) ?? []), ...added]);
        if (addresses.length > 0) known.set(name, addresses);
      };
      const [usual, ...networks] = of(operation, network);
      if (usual !== undefined) add(usual, of(operation, address));
      for (const row of rowsOf([...learned.keys()]))
        for (const [name, value] of mapsIn(row))
          if (name === usual || networks.includes(name)) add(name, [value]);
      return { network, address, known };
    },
    isSource: (path) => sources.has(path),
    isOneOf: ({ path }, { name }) => given[path]?.includes(name) === true,
    learn(path, body) {
      const responses = learned.get(path) ?? [];
      if (responses.length < KEPT_RESPONSES) learned.set(path, [...responses, spread(rowsIn(body))]);
    },
  };
}

/** Whether the values are times in seconds since the epoch. */
export function isTime({ text, schema }: Parameter): boolean {
  return typeIn(schema) !== 'boolean' && /unix timestamp/i.test(text);
}

/** Whether a value is several values with commas between them. */
export function isList({ text, schema }: Parameter): boolean {
  return typeIn(schema) === 'array' || /comma-separated/i.test(text);
}

export function typeIn(schema: Parameter['schema']): unknown {
  return [schema.type].flat().find((type) => type !== 'null');
}

/** Scalars as texts, each once. */
function texts(values: readonly unknown[]): string[] {
  const scalars = values.filter((value) => ['string', 'number', 'boolean'].includes(typeof value));
  return [...new Set(scalars.map(String))].filter((text) => text !== '');
}

function enumIn(schema: unknown): unknown[] {
  if (!isRecord(schema)) return [];
  const { enum: values, anyOf } = schema;
  if (Array.isArray(values)) return values;
  return Array.isArray(anyOf)
    ? anyOf.flatMap((one) => (isRecord(one) && 'const' in one ? [one.const] : []))
    : [];
}

/** `Valid values: `7`, `14`` and `Available values: …`, unless the list has an open end. */
function listedIn(text: string): string[] {
  const [, list = ''] = /(?:valid|available) values: *((?:`[^`]+`,? *)+)(?!or)/i.exec(text) ?? [];
  return Array.from(list.matchAll(/`([^`]+)`/g), ([, value = '']) => value);
}

/** `Any integer or `max`` */
function integersIn(text: string): string[] {
  const [any, word] = /any integer(?: or `([^`]+)`)?/i.exec(text) ?? [];
  return any === undefined ? [] : ['7', '30', '90', '365', ...(word ? [word] : [])];
}

/** The smallest and the largest number, from the schema or from `Valid values: 1...250`; else two small ones. */
function boundsOf({ schema, text }: Parameter): unknown[] {
  const [, low, high] = /valid values: *(\d+)\.\.\.?(\d+)/i.exec(text) ?? [];
  const { minimum = low, maximum = high } = schema;
  return minimum === undefined ? [1, 2] : [minimum, maximum ?? Number(minimum) + 1];
}

/** Past days in the format of the schema, or in one such as `Format: `dd-mm-yyyy``. */
function datesFor({ schema: { format }, text }: Parameter, now: number): string[] {
  const days = PAST_DAYS.map((days) => new Date(now - days * DAY_MS).toISOString());
  if (format === 'date-time') return days;
  const [, words] = /format: *`([dmy]+[-/.][dmy]+[-/.][dmy]+)`/i.exec(text) ?? [];
  const form = format === 'date' ? 'yyyy-mm-dd' : words?.toLowerCase();
  if (!form) return [];
  return days.map((day) =>
    form.replace('yyyy', day.slice(0, 4)).replace('mm', day.slice(5, 7)).replace('dd', day.slice(8, 10)),
  );
}

/** The first list in a body, which may lie in an envelope. */
function rowsIn(body: unknown): readonly unknown[] {
  if (Array.isArray(body)) return body;
  if (!isRecord(body)) return [];
  return (
    Object.values(body)
      .map(rowsIn)
      .find((rows) => rows.length > 0) ?? []
  );
}

function spread(rows: readonly unknown[]): unknown[] {
  const step = Math.max(1, rows.length / KEPT_ROWS);
  return Array.from(
    { length: Math.min(rows.length, KEPT_ROWS) },
    (_, index) => rows[Math.floor(index * step)],
  );
}

/** The row itself, or the field that a parameter names, as `ids` and `coin_ids` name `id`. */
function fieldOf(row: unknown, parameter: string, hasId: boolean): unknown {
  if (!isRecord(row)) return hasId ? row : undefined;
  const field = parameter.replace(/s$/, '');
  if (field in row || !hasId) return row[field];
  return row.id ?? Object.entries(row).find(([name]) => name.endsWith('_id'))?.[1];
}

/** The entries of the maps in a row, as of `platforms: {"ethereum": "0x…"}`. */
function mapsIn(row: unknown): [string, unknown][] {
  return isRecord(row)
    ? Object.values(row).flatMap((value) => (isRecord(value) ? Object.entries(value) : []))
    : [];
}
