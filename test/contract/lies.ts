/** What the service makes of each lie of the simulated provider. */
import { type LieAbout, lieNames } from '../../local/simulated/lies.ts';

/** The lies, and a redirect to another coin, as faults. */
export const falsehoods = [
  ...lieNames('coins').map((name) => `lie=${name}` as const),
  'redirect=other',
] as const;
export type Falsehood = `lie=${LieAbout<'coins'>}` | 'redirect=other';

/**
 * The text of the refusal, or:
 * - `true`: what is told is true, because the lie is none for this kind of answer, or is seen through;
 * - `part`: what is told is true, and some of it is missing;
 * - `told`: it is told, because nothing in the answer or beside it shows that it is false.
 */
export type Outcome = RegExp | 'true' | 'part' | 'told';

/** Where nothing is known, and beside a good answer. */
export type Outcomes = readonly [alone: Outcome, beside: Outcome];

const harmless = ['true', 'true'] as const;
const always = (text: RegExp) => [text, text] as const;
const redirected = always(/unusable answer: it redirects to something else$/);

export const ofTicker: Record<Falsehood, Outcomes> = {
  'lie=identity': always(/implausible answer: the ticker of "[^"]+" in place of that of "[^"]+"$/),
  'lie=noprice': always(/implausible answer: no price$/),
  'lie=zero': always(/implausible answer: no price$/),
  'lie=negative': always(/implausible answer: a price of -\d/),
  'lie=giant': always(/implausible answer: a price of 1e\+308$/),
  // One coin alone may jump, by as much as it says.
  'lie=scaled': always(/implausible answer: a (market cap|change of 24 hours) of /),
  'lie=future': always(/implausible answer: a time in the future: 2099-/),
  // Told with its age.
  'lie=old': ['told', /a ticker of .* is known$/],
  'lie=outside': harmless,
  'lie=unordered': harmless,
  'lie=shuffled': harmless,
  'lie=duplicates': harmless,
  'lie=emptied': harmless,
  'lie=halved': harmless,
  'lie=impossible': harmless,
  'lie=onebad': harmless,
  'lie=bigtext': always(/implausible answer: a text of 7500000 characters$/),
  'lie=nameless': always(/implausible answer: no name or no symbol$/),
  'lie=echo': always(/the symbol ".*" in place of ".*"$/),
  // One coin alone may lose its rank.
  'lie=unranked': ['told', 'told'],
  'lie=shifted': harmless,
  'lie=inactive': harmless,
  'redirect=other': redirected,
};

export const ofCandles: Record<Falsehood, Outcomes> = {
  'lie=identity': ['told', /prices far from those that are known$/],
  // Before its first trade a coin has rows without a price, or none.
  'lie=noprice': ['part', /nothing where \d+ rows are known$/],
  'lie=zero': always(/implausible answer: a price that is none/),
  'lie=negative': always(/implausible answer: a price that is none/),
  'lie=giant': always(/implausible answer: a price that is none/),
  'lie=scaled': ['told', /prices far from those that are known$/],
  'lie=future': always(/implausible answer: 2099-.*, outside of the window$/),
  'lie=old': ['told', /nothing after .* is known$/],
  'lie=outside': always(/implausible answer: .*, outside of the window$/),
  'lie=unordered': harmless,
  'lie=shuffled': harmless,
  'lie=duplicates': always(/implausible answer: two rows for one interval/),
  'lie=emptied': ['part', /nothing where \d+ rows are known$/],
  'lie=halved': ['part', /\d+ of \d+ known rows$/],
  'lie=impossible': always(/implausible answer: a price outside of low and high/),
  'lie=onebad': harmless, // in the middle of a year, outside of the windows
  'lie=bigtext': harmless,
  'lie=echo': harmless,
  'lie=nameless': harmless,
  'lie=shifted': harmless,
  'lie=inactive': harmless,
  'lie=unranked': harmless,
  'redirect=other': redirected,
};

/** They have neither low nor high, and of hours there is but a day. */
export const ofPrices: Record<Falsehood, Outcomes> = {
  ...ofCandles,
  'lie=impossible': harmless,
  'lie=onebad': ['part', 'true'],
};

/** As the registry says. */
const ofOthers = /tickers cannot be true, such as .* in place of /;

export const ofTickers: Record<Falsehood, Outcomes> = {
  'lie=identity': [ofOthers, /the prices of a tenth of all \d+ coins jumped at once$/],
  'lie=noprice': always(/no tickers .*: no price/),
  'lie=zero': always(/no tickers .*: no price/),
  'lie=negative': always(/no tickers .*: a price of -\d/),
  'lie=giant': always(/no tickers .*: a price of 1e\+308/),
  'lie=scaled': ['told', /the prices of a tenth of all \d+ coins jumped at once$/],
  'lie=future': always(/no tickers .*: a time in the future: 2099-/),
  'lie=old': ['told', /\d+ of \d+ tickers are older than the published ones$/],
  'lie=outside': harmless,
  'lie=unordered': harmless,
  'lie=shuffled': harmless,
  'lie=duplicates': harmless,
  'lie=emptied': always(/no tickers$/),
  'lie=halved': ['part', /\d+ tickers, where the published list has \d+$/],
  'lie=impossible': harmless,
  'lie=onebad': ['part', 'part'],
  'lie=bigtext': ['part', /\d+ tickers, where .*: a text of 10000 characters/],
  'lie=echo': [ofOthers, /another name or symbol than published, or no rank$/],
  'lie=nameless': always(/no tickers .*: no name or no symbol/),
  'lie=shifted': [ofOthers, /another name or symbol than published, or no rank$/],
  'lie=unranked': ['told', /another name or symbol than published, or no rank$/],
  'lie=inactive': harmless,
  'redirect=other': harmless,
};
