import type { RegistryEntry } from '../../shared/registry/types.ts';
import { edgeCaseCoins, untidyId, untidyLabels } from './edge-cases.ts';
import { inventName } from './names.ts';
import { Random } from './random.ts';
import { Symbols } from './symbols.ts';
import { wellKnownCoins } from './well-known.ts';

export const SIMULATED_COUNT = 56_000;
/** Proportions of the provider's lists of 2025 and 2026. */
const ACTIVE_SHARE = 0.23;
const TOKEN_SHARE = 0.96;
const NEW_SHARE = 0.0015;
/** Real ranks have gaps: 14,071 entries reach 14,077. */
const RANK_GAP_SHARE = 0.0004;

/**
 * A list of coins that looks like the provider's and is the same for the same seed: the well-known coins and a few
 * with untidy ids, as they really are, then an invented long tail with the proportions and edge cases of the real list.
 */
export function simulatedEntries(count = SIMULATED_COUNT, seed = 1): RegistryEntry[] {
  const random = new Random(seed);
  const known = [...wellKnownCoins, ...edgeCaseCoins].slice(0, count);
  const entries: RegistryEntry[] = known.map(({ id, name, symbol, type }, index) => ({
    id,
    name,
    symbol,
    rank: index + 1,
    is_new: false,
    is_active: true,
    type,
  }));
  const symbols = new Symbols(
    random,
    entries.map((entry) => entry.symbol),
  );
  const ids = new Set(entries.map((entry) => entry.id));
  const names = new Set(entries.map((entry) => entry.name));
  const activeCount = Math.max(entries.length, Math.round(count * ACTIVE_SHARE));
  let rank = entries.length;

  while (entries.length < count) {
    const invented = uncommon(names, random);
    const { name, symbol } = untidyLabels({ name: invented, symbol: symbols.of(invented) }, random);
    const id = unusedId(ids, untidyId(idOf(symbol, name), random));
    const isActive = entries.length < activeCount;
    if (isActive) rank += random.chance(RANK_GAP_SHARE) ? 2 : 1;
    entries.push({
      id,
      name,
      symbol,
      rank: isActive ? rank : 0,
      is_new: random.chance(NEW_SHARE),
      is_active: isActive,
      type: random.chance(TOKEN_SHARE) ? 'token' : 'coin',
    });
  }
  return entries;
}

/** A name that mostly was not there before: in the real list 95 % of the names are different. */
function uncommon(names: Set<string>, random: Random): string {
  let name = inventName(random);
  for (let again = 0; again < 8 && names.has(name) && !random.chance(0.4); again++) name = inventName(random);
  names.add(name);
  return name;
}

/** As the provider makes ids: symbol and name in lower case, everything but ASCII letters and digits a hyphen. */
function idOf(symbol: string, name: string): string {
  const slug = (text: string): string =>
    text
      .trim()
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-|-$/g, '');
  return `${slug(symbol)}-${slug(name)}`;
}

function unusedId(ids: Set<string>, id: string): string {
  let unused = id;
  for (let number = 2; ids.has(unused); number++) unused = `${id}-${number}`;
  ids.add(unused);
  return unused;
}
