/** A coin of one of two lists that are matched, and its comparison with a coin of the other list. */
import type { ListedCoin, ListedPrice } from '../shared/marketdata/provider.ts';
import { foldText, symbolKey } from '../shared/registry/fold.ts';

/** A coin with its price, if its list has one. */
export type PricedCoin = ListedCoin & Pick<ListedPrice, 'price' | 'marketCap'>;

/** The largest relative difference between two lists' prices of one coin. */
const SAME_PRICE = 0.02;
/** Market caps differ more, because providers count supplies differently. */
const SAME_CAP = 0.1;
/** A tolerance for differences that equal a limit, because of rounding errors. */
const ROUNDING = 1e-9;
/** With a larger difference these are two coins, whatever the other evidence. */
const OTHER = 3;

/** Words that only some providers append to names. */
const addenda = new Set(
  'token coin network protocol finance project dao labs chain ecosystem official the'.split(' '),
);
/** Words in the name of a coin that represents another coin, and has its price. */
const bridges = new Set(
  'bridged bridge wrapped pegged peg wormhole multichain anyswap axelar layerzero stargate celer allbridge'.split(
    ' ',
  ),
);
const formerName = /\((?:prev\.?|previously|formerly|ex)\s[^)]*\)/gi;
/** The end of an id whose name was in use already. */
const SECOND = /-\d{1,2}$/;

interface Name {
  readonly words: readonly string[];
  readonly full: string;
  /** The name without addenda. */
  readonly core: string;
}

export interface Candidate extends PricedCoin {
  readonly traded: string;
  readonly called: Name;
  /** The name that the coin had when its id was made. */
  readonly first: Name;
  /** Its name says that it represents another coin. */
  readonly isFollower: boolean;
  /** One of several forms of a coin, as a name with a bracket is. */
  readonly isVariant: boolean;
  /** Coins of its list with this symbol, itself included, and those that have the core of its name too. */
  readonly inList: { readonly symbol: number; readonly name: number };
}

/** The candidates by id. Our provider's ids are the symbol, a hyphen and the name; others are the name. */
export function candidatesOf(coins: readonly PricedCoin[], of: 'ours' | 'theirs'): Map<string, Candidate> {
  const all = coins.map((coin) => {
    const first = of === 'ours' ? coin.id.slice(coin.id.indexOf('-') + 1) : coin.id;
    const name = coin.name.replace(formerName, '');
    const called = nameOf(name);
    const others = called.words.filter((word) => !bridges.has(word) && !addenda.has(word));
    return {
      ...coin,
      traded: symbolKey(coin.symbol).replace(/^\$(?=.)/, ''), // some write $MBG for MBG
      called,
      first: nameOf(first.replace(SECOND, '')),
      // Wormhole itself is an independent coin.
      isFollower: others.length > 0 && called.words.some((word) => bridges.has(word)),
      isVariant: name.includes('('),
    };
  });
  const bySymbol = Map.groupBy(all, ({ traded }) => traded);
  const counted = [...bySymbol.values()].flatMap((sharing) => {
    const byCore = Map.groupBy(sharing, ({ called }) => called.core);
    return sharing.map((coin) => {
      const name = byCore.get(coin.called.core)?.length ?? 0;
      return { ...coin, inList: { symbol: sharing.length, name } };
    });
  });
  return new Map(counted.map((coin) => [coin.id, coin]));
}

function nameOf(text: string): Name {
  const words = foldText(text).split(' ');
  const rest = words.filter((word) => !addenda.has(word));
  return { words, full: words.join(''), core: (rest.length > 0 ? rest : words).join('') };
}

export function isEqual(our: Name, their: Name): boolean {
  return our.full !== '' && our.full === their.full;
}

/** True if two names are equal without their addenda. */
export function isSame(our: Name, their: Name): boolean {
  return our.core !== '' && our.core === their.core;
}

/** True if two names are equal except for addenda at the end of one: `Lion Token` is not `The Lion`. */
export function isNear(our: Name, their: Name): boolean {
  return isEqual(our, their) || (isSame(our, their) && begin(our, their));
}

/** `Hedera` and `Hedera Hashgraph`. */
export function isRelated(our: Candidate, their: Candidate): boolean {
  return !our.isVariant && !their.isVariant && begin(our.called, their.called);
}

/** Whether one begins with all words of the other. */
function begin({ words: our }: Name, { words: their }: Name): boolean {
  const [shorter, longer] = our.length < their.length ? [our, their] : [their, our];
  return shorter.every((word, index) => word === longer[index]);
}

export function haveSymbol(our: Candidate, their: Candidate): boolean {
  return our.traded === their.traded;
}

export function shareContract(our: Candidate, their: Candidate): boolean {
  return our.contracts.some((contract) => their.contracts.includes(contract));
}

/** Whether both are on one chain, and have no contract in common. */
export function haveOtherContracts(our: Candidate, their: Candidate): boolean {
  const chains = new Set(our.contracts.map(chainOf));
  return !shareContract(our, their) && their.contracts.some((contract) => chains.has(chainOf(contract)));
}

function chainOf(contract: string): string {
  return contract.slice(0, contract.indexOf(':'));
}

export function arePriced(our: PricedCoin, their: PricedCoin): boolean {
  return ratio(our.price, their.price) !== undefined;
}

export function haveSamePrice(our: PricedCoin, their: PricedCoin): boolean {
  return isWithin(SAME_PRICE, our.price, their.price);
}

export function haveSameCap(our: PricedCoin, their: PricedCoin): boolean {
  return isWithin(SAME_CAP, our.marketCap, their.marketCap);
}

/** True if the prices differ more than threefold. */
export function haveOtherPrice(our: PricedCoin, their: PricedCoin): boolean {
  return isOther(our.price, their.price);
}

/** True if the market caps differ more than threefold. */
export function haveOtherCap(our: PricedCoin, their: PricedCoin): boolean {
  return isOther(our.marketCap, their.marketCap);
}

function isOther(our: number | null, their: number | null): boolean {
  const times = ratio(our, their) ?? 1;
  return Math.max(times, 1 / times) > OTHER;
}

function isWithin(part: number, our: number | null, their: number | null): boolean {
  const times = ratio(our, their);
  return times !== undefined && Math.abs(times - 1) <= part + ROUNDING;
}

/** Their number divided by ours; undefined unless both are known. */
function ratio(our: number | null, their: number | null): number | undefined {
  return our && their && our > 0 && their > 0 ? their / our : undefined;
}
