/**
 * Matches the coins of two lists by evidence. A wrong pair is worse than a missing one, so a coin with two candidates is left
 * out.
 */
import {
  arePriced,
  type Candidate,
  candidatesOf,
  haveOtherCap,
  haveOtherContracts,
  haveOtherPrice,
  haveSameCap,
  haveSamePrice,
  haveSymbol,
  isEqual,
  isNear,
  isRelated,
  isSame,
  type PricedCoin,
  shareContract,
} from './candidate.ts';

export interface Refusal {
  readonly ours: string;
  readonly theirs: readonly string[];
  readonly reason: string;
}

export interface Matches {
  /** Their id for each of our ids. */
  readonly pairs: ReadonlyMap<string, string>;
  /** One for each of our coins that shares a symbol or a contract with coins of theirs but has no certain match. */
  readonly refused: readonly Refusal[];
  /** Earlier pairs that prices contradict now. */
  readonly withdrawn: number;
}

/** Two coins may be the same, or cannot be distinguished; undefined: this kind of evidence does not apply. */
type Verdict = 'supports' | 'doubts' | undefined;
type Evidence = (our: Candidate, their: Candidate) => Verdict;
type Pair = readonly [Candidate, Candidate];

/**
 * Matches two lists. Evidence is applied from the strongest to the weakest kind. A pair needs a kind that supports it, and
 * neither coin may have another candidate of the same kind; matched coins are no candidates for weaker kinds.
 */
export function match(
  ours: readonly PricedCoin[],
  theirs: readonly PricedCoin[],
  previous: ReadonlyMap<string, string> = new Map(),
): Matches {
  const ourCoins = candidatesOf(ours, 'ours');
  const theirCoins = candidatesOf(theirs, 'theirs');
  const before = [...previous].flatMap(([our, their]): Pair[] => {
    const ourCoin = ourCoins.get(our);
    const theirCoin = theirCoins.get(their);
    return ourCoin && theirCoin ? [[ourCoin, theirCoin]] : [];
  });
  const related = relatedPairs(ourCoins, theirCoins, before);
  const heldBefore: Evidence = (our, their) => (previous.get(our.id) === their.id ? 'supports' : undefined);
  const kinds = [
    ...[sameContract, heldBefore, equalNameAndPrice, sameNameAndPrice, relatedNameAndPrice],
    ...[priceAndCap, nameAndFirstName, onlySymbol],
  ];

  const settled = new Map<Candidate, Candidate>();
  for (const kind of kinds) {
    const isOpen = ([our, their]: Pair) =>
      !settled.has(our) && !settled.has(their) && !haveOtherPrice(our, their);
    for (const [our, their] of supported(related.filter(isOpen), kind)) {
      settled.set(our, their);
      settled.set(their, our);
    }
  }

  const pairs = new Map<string, string>();
  for (const our of ourCoins.values()) {
    const their = settled.get(our);
    if (their) pairs.set(our.id, their.id);
  }
  const refused = [...Map.groupBy(related, ([our]) => our)].flatMap(([our, candidates]) =>
    settled.has(our) ? [] : [refusal(our, candidates, ([, their]) => !settled.has(their))],
  );
  const withdrawn = before.filter(([our, their]) => haveOtherPrice(our, their)).length;
  return { pairs, refused, withdrawn };
}

/** The pairs that this kind of evidence supports, if it supports no other candidate for either coin. */
function supported(pairs: readonly Pair[], kind: Evidence): Pair[] {
  const candidates = new Map<Candidate, number>();
  const found = pairs.filter(([our, their]) => {
    const verdict = kind(our, their);
    if (verdict) for (const coin of [our, their]) candidates.set(coin, (candidates.get(coin) ?? 0) + 1);
    return verdict === 'supports';
  });
  return found.filter((pair) => pair.every((coin) => candidates.get(coin) === 1));
}

/**
 * Matches coins with the same contract on the same chain. Lists also contain the contracts of a coin's bridged and wrapped
 * forms, which are smaller than the coin.
 */
function sameContract(our: Candidate, their: Candidate): Verdict {
  if (!shareContract(our, their)) return undefined;
  if (isAlike(our, their)) return 'supports';
  return our.isFollower !== their.isFollower || haveOtherCap(our, their) ? undefined : 'supports';
}

/** `XRP` and `XRP`. */
function equalNameAndPrice(our: Candidate, their: Candidate): Verdict {
  return haveSymbol(our, their) && isEqual(our.called, their.called) ? byPrice(our, their) : undefined;
}

/** `LEO` and `LEO Token`. */
function sameNameAndPrice(our: Candidate, their: Candidate): Verdict {
  return isAlike(our, their) ? byPrice(our, their) : undefined;
}

/** `Hedera` and `Hedera Hashgraph`, unless another coin with the symbol has the same price. */
function relatedNameAndPrice(our: Candidate, their: Candidate): Verdict {
  if (!haveSymbol(our, their)) return undefined;
  if (isRelated(our, their)) return byPrice(our, their);
  return haveSamePrice(our, their) ? 'doubts' : undefined;
}

/** The symbol alone, unless another coin with that symbol has the same price. */
function priceAndCap(our: Candidate, their: Candidate): Verdict {
  if (!haveSymbol(our, their) || !haveSamePrice(our, their)) return undefined;
  const isCertain = !our.isFollower && !their.isFollower && !haveOtherContracts(our, their);
  return isCertain && haveSameCap(our, their) ? 'supports' : 'doubts';
}

/** Names are reused, ids are not: without a price the names in the ids have to agree too, unless names are long. */
function nameAndFirstName(our: Candidate, their: Candidate): Verdict {
  if (!isAlike(our, their)) return undefined;
  const isEqualNow = isEqual(our.called, their.called);
  const wasEqual = isEqual(our.first, their.first);
  const isLong = isEqualNow && our.called.words.length > 1;
  const agree = isNear(our.called, their.called) && isNear(our.first, their.first);
  const isCertain = isLong || (agree && (isEqualNow || wasEqual));
  return isCertain && isNameEnough(our, their) ? 'supports' : 'doubts';
}

/** The symbol alone, if no other coin has it; a coin that one list has renamed is recognized by the name in the ids. */
function onlySymbol(our: Candidate, their: Candidate): Verdict {
  if (!haveSymbol(our, their)) return undefined;
  const isOnly = our.inList.symbol === 1 && their.inList.symbol === 1;
  const isNamed = isNear(our.called, their.called) || isEqual(our.first, their.first);
  return isOnly && isNamed && isNameEnough(our, their) ? 'supports' : 'doubts';
}

function isAlike(our: Candidate, their: Candidate): boolean {
  return haveSymbol(our, their) && isSame(our.called, their.called);
}

/** Compares coins of one name. If the price follows another coin's or contracts differ, the market cap has to agree too. */
function byPrice(our: Candidate, their: Candidate): Verdict {
  if (!arePriced(our, their)) return 'doubts';
  if (!haveSamePrice(our, their)) return undefined;
  const needsCap = our.isFollower || their.isFollower || haveOtherContracts(our, their);
  return needsCap && !haveSameCap(our, their) ? 'doubts' : 'supports';
}

/** Without a price, a name has to be unique in both lists, including coins that are already matched. */
function isNameEnough(our: Candidate, their: Candidate): boolean {
  if (arePriced(our, their) || our.inList.name > 1 || their.inList.name > 1) return false;
  return !our.isFollower && !their.isFollower && !haveOtherContracts(our, their);
}

/** Pairs that share a symbol or a contract, and earlier pairs. */
function relatedPairs(
  ours: ReadonlyMap<string, Candidate>,
  theirs: ReadonlyMap<string, Candidate>,
  before: readonly Pair[],
): Pair[] {
  const byKey = new Map<string, Candidate[]>();
  for (const their of theirs.values())
    for (const key of keysOf(their)) {
      const others = byKey.get(key);
      if (others) others.push(their);
      else byKey.set(key, [their]);
    }
  const related = new Map<Candidate, Set<Candidate>>();
  for (const our of ours.values())
    related.set(our, new Set(keysOf(our).flatMap((key) => byKey.get(key) ?? [])));
  for (const [our, their] of before) related.get(our)?.add(their);
  return [...related].flatMap(([our, candidates]) => Array.from(candidates, (their): Pair => [our, their]));
}

function keysOf({ traded, contracts }: Candidate): string[] {
  return [`symbol ${traded}`, ...contracts];
}

function refusal(our: Candidate, all: readonly Pair[], isFree: (pair: Pair) => boolean): Refusal {
  const free = all.filter(isFree);
  const alike = free.filter(([, their]) => isAlike(our, their));
  const pairs = [alike, free, all].find(({ length }) => length > 0) ?? [];
  const theirs = pairs.map(([, their]) => their.id);
  return { ours: our.id, theirs, reason: free.length > 0 ? reasonAgainst(pairs) : TAKEN };
}

const TAKEN = 'other coins of ours have better evidence';

function reasonAgainst(pairs: readonly Pair[]): string {
  const all = (is: (our: Candidate, their: Candidate) => boolean) => pairs.every((pair) => is(...pair));
  if (all(haveOtherPrice)) return 'the prices differ by more than threefold';
  if (!all(isAlike)) return 'the symbol alone, without a price and market cap of its own';
  if (pairs.length > 1) return `${pairs.length} coins with this symbol and name`;
  if (all((our, their) => our.isFollower || their.isFollower))
    return 'it follows the price of another coin, and no contract tells which one this is';
  if (all(haveOtherContracts)) return 'the contracts differ';
  if (all((our, their) => arePriced(our, their) && !haveSamePrice(our, their))) return 'the prices differ';
  return 'the symbol and name are not unique on both sides, or the ids have other names';
}
