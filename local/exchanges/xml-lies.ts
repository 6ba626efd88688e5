import { DAY_MS } from '../../shared/platform/time.ts';
import type { Answer } from '../provider/answer.ts';
import type { Elsewhere } from './lies.ts';

const RATE = /<Cube currency='(\w+)' rate='([\d.]+)'\/>/g;
const YEAR = /time='(\d{4})-/;
const MANY = 400_000;
const ENTITIES =
  '<!DOCTYPE lolz [<!ENTITY a "rate"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c SYSTEM "file:///etc/passwd">]>';

/** Changes the figures of a rate, at its place in the list. */
type FiguresLie = (figures: string, place: number) => string;

const figuresLies = {
  scaled: (figures) => String(Number(figures) * 100),
  zero: () => '0',
  negative: (figures) => `-${figures}`,
  nan: () => 'NaN',
  noprice: () => '',
  exponent: (figures) => `${figures}e5`,
  words: (figures) => `about ${figures}`,
  onebad: (figures, place) => (place % 10 === 5 ? `-${figures}` : figures),
} as const satisfies Record<string, FiguresLie>;

/** Changes the document. */
const textLies = {
  duplicates: (text) => text.replace(RATE, '$&$&'),
  /** 10 MB. */
  many: (text) => text.replace(RATE, (rate, code) => (code === 'USD' ? rate.repeat(MANY) : rate)),
  emptied: (text) => text.replace(RATE, ''),
  halved: (text) => text.replace(RATE, (rate, code: string) => (code < 'M' ? rate : '')),
  nodollar: (text) => text.replace("<Cube currency='USD'", "<Cube currency='XXX'"),
  future: (text) => text.replace(YEAR, (_day, year) => `time='${Number(year) + 1}-`),
  /** The same day twice. */
  days: (text) => text.replace(/<Cube time=[\s\S]*?<\/Cube>/, '$&$&'),
  short: (text) => text.slice(0, text.length / 2),
  /** Entities in entities, and a file of the reader's. */
  entities: (text) => text.replace('?>', `?>${ENTITIES}`).replace("rate='", "rate='&b;&c;"),
} as const satisfies Record<string, (text: string) => string>;

/** The lies that a document of rates can tell; `old` is one of two days ago. */
export const xmlLieNames: readonly string[] = [...[figuresLies, textLies].flatMap(Object.keys), 'old'];

/** The answer that a lie makes of the proper one; errors are left alone. */
export function tellInXml(name: string, proper: Answer, { again }: Pick<Elsewhere, 'again'>): Answer {
  if (proper.status !== 200) return proper;
  if (name === 'old') return again(-2 * DAY_MS);
  if (isIn(textLies, name)) return { ...proper, body: textLies[name](proper.body) };
  if (!isIn(figuresLies, name)) return proper;
  let place = 0;
  const body = proper.body.replace(
    RATE,
    (_rate, code: string, figures: string) =>
      `<Cube currency='${code}' rate='${figuresLies[name](figures, place++)}'/>`,
  );
  return { ...proper, body };
}

function isIn<T extends object>(table: T, name: string | keyof T): name is keyof T {
  return Object.hasOwn(table, name);
}
