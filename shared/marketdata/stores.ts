import type { Published } from '../platform/job.ts';
import { HOURS_KEPT_DAYS, KEPT_DAYS } from './store/names.ts';

/** A kind of stored objects. */
export interface StoredKind {
  /** The prefix in the data bucket, by which a function is allowed to read or publish. */
  readonly kind: Published;
  /** The name below it, without the version of the format; what differs between objects is in angle brackets. */
  readonly name: string;
  readonly content: string;
  readonly format: 'rows' | 'JSON' | 'CSV' | 'TSV' | 'index' | 'Parquet';
  /** Jobs, as their folders in `functions/marketdata/jobs` are called, and `routes`, if functions do that answer requests. */
  readonly writers: readonly string[];
  /** Others that read it. */
  readonly readers: readonly string[];
  /** The bucket deletes it this many days after it was written; undefined: it stays until it is replaced. */
  readonly expiresAfterDays?: number;
}

/** An index of 7 MB is added every day; one this old is no longer in use. */
const INDEX_DAYS = 30;
/** It ends when it is put, and holds eight days. */
const PAST_WEEK_DAYS = 9;
/** A ticker of an inactive coin counts for seven days, as a refusal does. */
const FETCHED_DAYS = 8;
/** A month's object expires as a whole, once all of its hours may. */
const MONTH_OF_HOURS_DAYS = HOURS_KEPT_DAYS + 31;

const REGISTRY_READERS = ['markets', 'past', 'snapshot', 'tokens', 'routes'];

/** All objects that the service stores. A test compares the table with what jobs declare and store. */
export const stores: readonly StoredKind[] = [
  ...kindOf('registry', [
    ['manifest', 'the current index', 'JSON', ['registry'], REGISTRY_READERS],
    ['coins-<digest>', 'the coin index', 'index', ['registry'], REGISTRY_READERS, INDEX_DAYS],
    ['coingecko-ids-<digest>', 'its coins’ ids at CoinGecko', 'TSV', ['registry'], ['routes'], INDEX_DAYS],
  ]),
  ...kindOf('snapshot', [
    [
      'tickers',
      'a ticker of each listed coin',
      'rows',
      ['snapshot'],
      ['candles', 'markets', 'quotes', 'past', 'registry', 'routes'],
    ],
    ['quotes', 'prices of markets in this minute', 'JSON', ['quotes'], ['routes']],
    ['last-list', 'the last list before an outage', 'rows', ['snapshot'], []],
    ['tail', 'prices of coins that the list lacks', 'rows', ['tokens'], ['past', 'routes']],
    ['rates', 'one euro in other currencies', 'JSON', ['daily-rates'], ['routes']],
    [
      'past-rates/recent',
      'all currencies on the days from which changes are computed',
      'CSV',
      ['daily-rates'],
      ['routes'],
    ],
    [
      'past-rates/<group>',
      'one euro in a group of currencies on past days',
      'CSV',
      ['daily-rates'],
      ['routes'],
    ],
    ['rates-held', 'rates held back', 'JSON', ['daily-rates'], []],
  ]),
  ...kindOf('history', [
    [
      'samples/<day>/<slot>',
      'the figures of each coin at a run',
      'rows',
      ['snapshot', 'tokens'],
      ['roll-up', 'routes'],
      KEPT_DAYS,
    ],
    ['day-hours/<day>', 'sampled hours of a day', 'rows', ['roll-up'], ['routes'], KEPT_DAYS],
    [
      'day-exact/<day>',
      'exchanges’ hours of a day',
      'rows',
      ['candles'],
      ['roll-up', 'past', 'routes'],
      KEPT_DAYS,
    ],
    [
      'days/<year>/<shard>',
      'days of a year of a shard’s coins',
      'rows',
      ['roll-up'],
      ['candles', 'past', 'tokens', 'export', 'routes'],
    ],
    [
      'hours/<month>/<shard>',
      'hours of a month of a shard’s coins',
      'rows',
      ['roll-up'],
      ['past', 'export', 'routes'],
      MONTH_OF_HOURS_DAYS,
    ],
    [
      'coins/<id>',
      'candles fetched for one coin',
      'rows',
      ['past', 'routes'],
      ['candles', 'tokens', 'export'],
    ],
    [
      'fetched/<id>',
      'a coin’s ticker and refusals, fetched for a request',
      'JSON',
      ['routes'],
      [],
      FETCHED_DAYS,
    ],
    ['week', 'a week of hourly closes of the listed coins', 'rows', ['roll-up'], ['routes']],
    ['past-week', 'closes of a new store’s first week', 'rows', ['past'], ['roll-up'], PAST_WEEK_DAYS],
    ['rolled-up', 'the last merged day', 'JSON', ['roll-up'], []],
    ['past', 'coins with a fetched past', 'JSON', ['past'], []],
  ]),
  ...kindOf('sources', [
    ['listings', 'the coin of each market by the provider’s lists', 'JSON', ['registry'], ['markets']],
    ['map', 'the markets of each coin', 'JSON', ['markets'], ['quotes', 'candles', 'past']],
    ['quotes', 'what each market said last, and prices of half an hour', 'JSON', ['quotes'], ['snapshot']],
    [
      'contracts',
      'the coin of each contract',
      'JSON',
      ['contracts'],
      ['past', 'tokens', 'registry', 'routes'],
    ],
    ['references', 'known prices of tokens', 'JSON', ['tokens'], []],
  ]),
  ...kindOf('exports', [
    ['<interval>/<year>/<period>-<part>', 'the history for other programs', 'Parquet', ['export'], []],
    ['manifest', 'the objects that the files were made of', 'JSON', ['export'], []],
  ]),
];

type Line = [
  name: string,
  content: string,
  format: StoredKind['format'],
  writers: readonly string[],
  readers: readonly string[],
  expiresAfterDays?: number,
];

function kindOf(kind: Published, lines: readonly Line[]): StoredKind[] {
  return lines.map(([name, content, format, writers, readers, expiresAfterDays]) => ({
    ...{ kind, name, content, format, writers, readers },
    ...(expiresAfterDays && { expiresAfterDays }),
  }));
}
