import type { Wish, Wishes } from '../marketdata/provider-client.ts';
import type { BaseInterval } from '../marketdata/window.ts';
import {
  EXPIRY_ATTRIBUTE,
  expiryAt,
  numberIn,
  type Row,
  rowKey,
  type Share,
  textIn,
  unlessAvailable,
} from './table.ts';

/** However many coins are asked for, these are all the rows: three looks of DynamoDB's find them. */
const SLOTS = 256;
const KEEP_MS = 24 * 60 * 60 * 1000;

/**
 * Each wish in the slot that its coin and base come to: `id`, `base`, `asked` (how often) and `at`. While another one is
 * there it is dropped: whoever asks for it again may find the slot free.
 */
export function wishes({ table, provider, now = Date.now }: Share): Wishes {
  const keyOf = (slot: number) => rowKey(provider, 'wish', slot);

  async function put(id: string, base: BaseInterval): Promise<void> {
    const key = keyOf(slotOf(id, base));
    const time = now();
    const values = {
      ':id': id,
      ':base': base,
      ':one': 1,
      ':at': time,
      ':expiry': expiryAt(time + KEEP_MS),
      ':now': Math.floor(time / 1000),
    };
    const rest = `#id = :id, #base = :base, #at = :at, #${EXPIRY_ATTRIBUTE} = :expiry`;
    const { applied, row } = await table.update(key, {
      update: `SET #asked = if_not_exists(#asked, :zero) + :one, ${rest}`,
      condition: `attribute_not_exists(#id)
        OR (#id = :id AND #base = :base AND #${EXPIRY_ATTRIBUTE} > :now)`,
      values: { ...values, ':zero': 0 },
    });
    if (applied || wishIn(row, time)) return;
    await table.update(key, {
      update: `SET #asked = :one, ${rest}`,
      condition: `#${EXPIRY_ATTRIBUTE} <= :now`,
      values,
    });
  }

  return {
    file: (id, base) => put(id, base).catch(unlessAvailable),

    async all() {
      // Looked for in the same turn, so that they come by the hundred.
      const slots = Array.from({ length: SLOTS }, (_, slot) => table.get(keyOf(slot)));
      const rows = (await Promise.all(slots).catch(unlessAvailable)) ?? [];
      return rows.map((row) => wishIn(row, now())).filter((wish) => wish !== undefined);
    },

    async clear({ id, base }) {
      const change = {
        update: `SET #${EXPIRY_ATTRIBUTE} = :now REMOVE #id, #base, #asked, #at`,
        condition: '#id = :id AND #base = :base',
        values: { ':id': id, ':base': base, ':now': expiryAt(now()) },
      };
      await table.update(keyOf(slotOf(id, base)), change).catch(unlessAvailable);
    },
  };
}

/** Undefined for a slot that is free; an expired row may still be there. */
function wishIn(row: Row | undefined, now: number): Wish | undefined {
  const [id, base] = [textIn(row, 'id'), textIn(row, 'base')];
  const isOver = (numberIn(row, EXPIRY_ATTRIBUTE) ?? 0) * 1000 <= now;
  if (isOver || id === undefined || (base !== '24h' && base !== '1h')) return undefined;
  return { id, base, asked: numberIn(row, 'asked') ?? 1, at: numberIn(row, 'at') ?? 0 };
}

/** FNV-1a, 32 bits, over the code points, both halves together. */
function slotOf(id: string, base: BaseInterval): number {
  let hash = 0x811c9dc5;
  for (const character of `${base}${id}`) {
    hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
  }
  return ((hash ^ (hash >>> 16)) >>> 0) % SLOTS;
}
