import { type DashboardItem, requestsIn } from '../dashboard.ts';

/** More cards come from no reader's hand, and each costs several requests. */
export const MAX_CARDS = 20;
/** Twenty cards with four compared coins each, all by their ids, are shorter. */
const MAX_LENGTH = 5000;

export interface ReadAddress {
  readonly items: readonly DashboardItem[];
  /** What there is to say of parts that are not shown. */
  readonly remarks: readonly string[];
}

/** The cards of an address's fragment, never more than the page can bear. */
export function readAddress(hash: string): ReadAddress {
  const text = hash.replace(/^#/, '');
  if (text.length > MAX_LENGTH) return { items: [], remarks: ['This address is too long for a dashboard.'] };
  const parts = text.split(',').filter((part) => part !== '');
  const asked = parts.slice(0, MAX_CARDS);
  const items = requestsIn(asked.join(','));
  const unread = asked.length - items.length;
  const over = parts.length - asked.length;
  return {
    items,
    remarks: [
      ...(unread > 0 ? [`${counted(unread)} of this address could not be read.`] : []),
      ...(over > 0 ? [`An address shows at most ${MAX_CARDS} cards: ${over} more were left out.`] : []),
    ],
  };
}

function counted(count: number): string {
  return count === 1 ? 'One card' : `${count} cards`;
}
