/**
 * Finds out which coin of one list is which coin of another one, by evidence. A wrong pair is worse than a missing one:
 * whatever has two candidates is left out.
 */
import type { ListedCoin, ListedPrice } from '../shared/marketdata/provider.ts';
import { foldText, symbolKey } from '../shared/registry/fold.ts';

/** A coin with its price, as far as its list says. */
export type PricedCoin = ListedCoin & Pick<ListedPrice, 'price' | 'marketCap'>;

export interface Refusal {
  readonly ours: string;
  readonly theirs: readonly string[];
  readonly reason: string;
}

export interface Matches {
  /** Theirs by ours. */
  readonly pairs: ReadonlyMap<string, string>;
  /** One for each coin of ours that shares a symbol or a contract with coins of theirs, and is none of them for certain. */
  readonly refused: readonly Refusal[];
  /** Pairs that held before and that their prices contradict now. */
  readonly withdrawn: number;
}

/** Prices of one coin differ by no more between two lists. */
const SAME_PRICE = 1.02;
/** Market caps differ more, because providers count supplies differently. */
const SAME_CAP = 1.1;
/** Prices that differ by more are not of one coin, whatever else speaks for it. */
const OTHER_PRICE = 3;

/** Words that one provider writes after a name and another one does not. */
const addenda = new Set(
  'token coin network protocol finance project dao labs chain ecosystem official the'.split(' '),
);
/** In the name of a coin that stands for another coin, and has its price. */
const bridges = new Set(
  'bridged wrapped pegged peg wormhole multichain axelar layerzero stargate celer allbridge'.split(' '),
);
/** Where an id was in use already. */
const SECOND = /-\d{1,2}$/;
const formerName = /\((?:prev\.?|previously|formerly|ex)\s[^)]*\)/gi;

/** A coin with what is compared often. */
interface Candidate extends PricedCoin {
  readonly words: readonly string[];
  /** The words without addenda and spaces. */
  readonly core: string;
  /** The name that the coin had when its id was made. */
  readonly firstCore: string;
  /** Coins of its list with its symbol and core, itself included. */
  namesakes: number;
  readonly isFollower: boolean;
  readonly isVariant: boolean;
}

/** What is known of two coins: they may be one, cannot be told apart from one, or are surely two. */
type Verdict = 'supports' | 'doubts' | undefined;
type Evidence = (ours: Candidate, theirs: Candidate) => Verdict;

/**
 * Matches two lists. Evidence is looked at from the strongest to the weakest kind. A pair needs a kind that supports it,
 * and neither coin may have another candidate by the same kind; what is settled is out of the way of weaker kinds.
 */
export function match(
  ours: readonly PricedCoin[],
  theirs: readonly PricedCoin[],
  previous: ReadonlyMap<string, string> = new Map(),
): Matches {
  const left = { ours: candidates(ours, ourFirstName), theirs: candidates(theirs, ({ id }) => id) };
  const relatives = relativesOf(left.ours.values(), left.theirs.values());
  const known = [...previous].flatMap(([our, their]) => {
    const pair = [left.ours.get(our), left.theirs.get(their)] as const;
    return pair[0] && pair[1] ? [[pair[0], pair[1]] as const] : [];
  });
  for (const [our, their] of known) relatives.get(our)?.add(their) ?? relatives.set(our, new Set([their]));
  const heldBefore: Evidence = (our, their) => (previous.get(our.id) === their.id ? 'supports' : undefined);

  const pairs = new Map<string, string>();
  for (const evidence of [
    sameContract,
    heldBefore,
    equalNameAndPrice,
    sameNameAndPrice,
    relatedNameAndPrice,
    samePriceAndCap,
    nameAndFirstName,
    onlyName,
  ])
    for (const [our, their] of settled(left, relatives, evidence)) {
      pairs.set(our.id, their.id);
      left.ours.delete(our.id);
      left.theirs.delete(their.id);
    }

  const refused = [...left.ours.values()].flatMap((our) => {
    const others = [...(relatives.get(our) ?? [])];
    return others.length === 0 ? [] : [refusal(our, others, left.theirs)];
  });
  const withdrawn = known.filter(([our, their]) => isOtherPrice(our, their)).length;
  return { pairs, refused, withdrawn };
}

interface Left {
  readonly ours: Map<string, Candidate>;
  readonly theirs: Map<string, Candidate>;
}

type Relatives = Map<Candidate, Set<Candidate>>;

/** The pairs of which neither coin has another candidate. */
function settled(left: Left, relatives: Relatives, evidence: Evidence): (readonly [Candidate, Candidate])[] {
  const rivals = new Map<Candidate, number>();
  const supported: (readonly [Candidate, Candidate])[] = [];
  for (const our of left.ours.values())
    for (const their of relatives.get(our) ?? []) {
      if (!left.theirs.has(their.id) || isOtherPrice(our, their)) continue;
      const verdict = evidence(our, their);
      if (verdict === undefined) continue;
      for (const coin of [our, their]) rivals.set(coin, (rivals.get(coin) ?? 0) + 1);
      if (verdict === 'supports') supported.push([our, their]);
    }
  return supported.filter((pair) => pair.every((coin) => rivals.get(coin) === 1));
}

/**
 * The same contract on the same chain. If a coin of ours has contracts of several of theirs, or the other way round,
 * those with the same symbol and name are meant: the others are its bridged forms.
 */
function sameContract(our: Candidate, their: Candidate): Verdict {
  if (!shareContract(our, their)) return undefined;
  return our.isFollower === their.isFollower || isAlike(our, their) ? 'supports' : undefined;
}

function equalNameAndPrice(our: Candidate, their: Candidate): Verdict {
  return haveSymbol(our, their) && isEqual(our, their) ? byPrice(our, their) : undefined;
}

/** `XRP` and `XRP Token`. */
function sameNameAndPrice(our: Candidate, their: Candidate): Verdict {
  if (!isAlike(our, their)) return undefined;
  return byPrice(our, their);
}

/** `Hedera` and `Hedera Hashgraph`. */
function relatedNameAndPrice(our: Candidate, their: Candidate): Verdict {
  if (!haveSymbol(our, their) || !ratio(our.price, their.price)) return undefined;
  if (!isClose(our.price, their.price, SAME_PRICE)) return undefined;
  const isRelated = !our.isVariant && !their.isVariant && begins(our.words, their.words);
  return isRelated ? byPrice(our, their) : 'doubts';
}

/** A price that two coins of one symbol have says nothing of either, so that a symbol alone needs one with its own. */
function samePriceAndCap(our: Candidate, their: Candidate): Verdict {
  if (!haveSymbol(our, their) || !isClose(our.price, their.price, SAME_PRICE)) return undefined;
  const isCertain = !our.isFollower && !their.isFollower && !haveOtherContracts(our, their);
  return isCertain && isClose(our.marketCap, their.marketCap, SAME_CAP) ? 'supports' : 'doubts';
}

/** Names change hands, ids do not: where a price is missing, the names in the ids have to agree, or long names. */
function nameAndFirstName(our: Candidate, their: Candidate): Verdict {
  if (!isAlike(our, their)) return undefined;
  const isLong = our.words.length > 1 && isEqual(our, their);
  return (isLong || our.firstCore === their.firstCore) && isNameEnough(our, their) ? 'supports' : 'doubts';
}

/** Or nobody else may have the symbol. */
function onlyName(our: Candidate, their: Candidate): Verdict {
  if (!haveSymbol(our, their)) return undefined;
  return isAlike(our, their) && isNameEnough(our, their) ? 'supports' : 'doubts';
}

/** Of coins whose names agree. Where one price leads or contracts differ, the market cap has to agree too. */
function byPrice(our: Candidate, their: Candidate): Verdict {
  if (ratio(our.price, their.price) === undefined) return 'doubts';
  if (!isClose(our.price, their.price, SAME_PRICE)) return undefined;
  const needsCap = our.isFollower || their.isFollower || haveOtherContracts(our, their);
  return needsCap && !isClose(our.marketCap, their.marketCap, SAME_CAP) ? 'doubts' : 'supports';
}

/** Without a price, a name has to be unique in both lists, whichever coins are settled already. */
function isNameEnough(our: Candidate, their: Candidate): boolean {
  const isPriced = ratio(our.price, their.price) !== undefined;
  if (isPriced || our.namesakes > 1 || their.namesakes > 1) return false;
  return !our.isFollower && !their.isFollower && !haveOtherContracts(our, their);
}

/** The coins of theirs that share the symbol or a contract with one of ours. */
function relativesOf(ours: Iterable<Candidate>, theirs: Iterable<Candidate>): Relatives {
  const byKey = new Map<string, Candidate[]>();
  for (const their of theirs)
    for (const key of keysOf(their)) {
      const others = byKey.get(key);
      if (others) others.push(their);
      else byKey.set(key, [their]);
    }
  return new Map(
    Array.from(ours, (our) => [our, new Set(keysOf(our).flatMap((key) => byKey.get(key) ?? []))]),
  );
}

function keysOf(coin: Candidate): string[] {
  return [`symbol ${tradedSymbol(coin.symbol)}`, ...coin.contracts];
}

function candidates(
  coins: readonly PricedCoin[],
  firstName: (coin: PricedCoin) => string,
): Map<string, Candidate> {
  const all = coins.map((coin) => candidate(coin, firstName(coin)));
  const byName = Map.groupBy(all, ({ symbol, core }) => `${tradedSymbol(symbol)} ${core}`);
  for (const namesakes of byName.values()) for (const one of namesakes) one.namesakes = namesakes.length;
  return new Map(all.map((one) => [one.id, one]));
}

function candidate(coin: PricedCoin, firstName: string): Candidate {
  const name = coin.name.replace(formerName, '');
  const words = foldText(name).split(' ');
  const rest = words.filter((word) => !bridges.has(word));
  return {
    ...coin,
    words,
    core: coreOf(words),
    firstCore: coreOf(foldText(firstName.replace(SECOND, '')).split(' ')),
    namesakes: 1,
    isFollower: rest.length < words.length && rest.some((word) => !addenda.has(word)),
    isVariant: name.includes('('),
  };
}

function coreOf(words: readonly string[]): string {
  const rest = words.filter((word) => !addenda.has(word));
  return (rest.length > 0 ? rest : words).join('');
}

/** Our provider's ids are the symbol, a hyphen and the name. */
function ourFirstName({ id }: ListedCoin): string {
  return id.slice(id.indexOf('-') + 1);
}

/** Some write `$MBG` for `MBG`. */
function tradedSymbol(symbol: string): string {
  return symbolKey(symbol).replace(/^\$(?=.)/, '');
}

function haveSymbol(our: Candidate, their: Candidate): boolean {
  return tradedSymbol(our.symbol) === tradedSymbol(their.symbol);
}

function isAlike(our: Candidate, their: Candidate): boolean {
  return our.core !== '' && our.core === their.core && haveSymbol(our, their);
}

function isEqual(our: Candidate, their: Candidate): boolean {
  const [ourName, theirName] = [our.words.join(''), their.words.join('')];
  return ourName !== '' && ourName === theirName;
}

function begins(our: readonly string[], their: readonly string[]): boolean {
  const [shorter, longer] = our.length < their.length ? [our, their] : [their, our];
  return shorter.every((word, index) => word === longer[index]);
}

function shareContract({ contracts }: Candidate, their: Candidate): boolean {
  return contracts.some((contract) => their.contracts.includes(contract));
}

/** Whether both are on one chain, and nowhere the same. */
function haveOtherContracts(our: Candidate, their: Candidate): boolean {
  const chains = new Set(our.contracts.map(chainOf));
  return !shareContract(our, their) && their.contracts.some((contract) => chains.has(chainOf(contract)));
}

function chainOf(contract: string): string {
  return contract.slice(0, contract.indexOf(':'));
}

function isOtherPrice(our: Candidate, their: Candidate): boolean {
  return (ratio(our.price, their.price) ?? 1) > OTHER_PRICE;
}

function isClose(our: number | null, their: number | null, most: number): boolean {
  const difference = ratio(our, their);
  return difference !== undefined && difference <= most;
}

/** From 1; undefined unless both are known. */
function ratio(our: number | null, their: number | null): number | undefined {
  if (!our || !their || our < 0 || their < 0) return undefined;
  return Math.max(our / their, their / our);
}

function refusal(our: Candidate, others: readonly Candidate[], left: Left['theirs']): Refusal {
  const free = others.filter(({ id }) => left.has(id));
  const alike = free.filter((their) => isAlike(our, their));
  const of = alike.length > 0 ? alike : free.length > 0 ? free : others;
  return { ours: our.id, theirs: of.map(({ id }) => id), reason: reasonAgainst(our, of, free.length) };
}

function reasonAgainst(our: Candidate, others: readonly Candidate[], free: number): string {
  const all = (is: (their: Candidate) => boolean) => others.every(is);
  if (free === 0) return 'other coins of ours have better evidence';
  if (all((their) => isOtherPrice(our, their))) return 'the prices differ by more than threefold';
  if (all((their) => !isAlike(our, their)))
    return 'the symbol alone, without a price and market cap of its own';
  if (others.length > 1) return `${others.length} coins with this symbol and name`;
  if (all((their) => our.isFollower || their.isFollower))
    return 'it follows the price of another coin, and no contract tells which one this is';
  if (all((their) => haveOtherContracts(our, their))) return 'the contracts differ';
  const isPriced = all((their) => ratio(our.price, their.price) !== undefined);
  if (isPriced && all((their) => !isClose(our.price, their.price, SAME_PRICE))) return 'the prices differ';
  return 'the symbol and name are not unique on both sides, or the ids have other names';
}
