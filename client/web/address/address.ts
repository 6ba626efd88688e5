import { type DashboardItem, hashOf } from '../dashboard.ts';
import { type CardRequest, cardRequestsOf, keyOf } from '../panel/card-request.ts';
import type { Panel } from '../panel/panel.ts';
import { stored } from '../stored.ts';
import type { View, Views } from '../views.ts';
import { createLookup, type Find, isUnknown } from './lookup.ts';
import { createNote } from './note.ts';
import { readAddress } from './read.ts';
import { isStep } from './steps.ts';

export interface AddressOptions {
  readonly panel: Pick<Panel, 'requests' | 'replace' | 'onChange' | 'expect'>;
  readonly views: Pick<Views, 'current' | 'show' | 'onChange'>;
  readonly runCommand: (command: string) => void;
}

export interface Address {
  /** Cards that are on their way are no step yet, until the returned function is called. */
  hold(): () => void;
  /** Asks again for coins that could not be looked up. */
  retry(): void;
}

interface Shown {
  readonly items: readonly DashboardItem[];
  readonly hash: string;
  readonly view: View;
}

/**
 * The dashboard of a tab is the one that its address names. The cards in the browser's storage are the reader's own of the
 * last time, for a visit without any: an address that was only looked at does not replace them.
 */
export function openAddress(find: Find): (options: AddressOptions) => Address {
  const kept = stored(() => localStorage, 'marketdata.cards', cardRequestsOf);
  const lookup = createLookup(find);
  const own = kept.read();
  const start = readAddress(location.hash);
  lookup.know(own);
  const known = lookup.known(start.items);
  const isOwn = known.length === start.items.length && hashOf(known) === hashOf(own);
  const isElsewhere = start.items.length > 0 && !isOwn;
  // The panel begins with the stored cards.
  if (isElsewhere) kept.write(known);

  return ({ panel, views, runCommand }) => {
    const note = createNote(runCommand);
    /** The reader's own cards, as long as those of this tab are somebody's address. */
    let spared: readonly CardRequest[] | undefined = isElsewhere && own.length > 0 ? own : undefined;
    let shown: Shown = { items: panel.requests(), hash: location.hash, view: views.current() };
    let held = 0;
    let turn = 0;
    /** The address whose cards are being looked up. */
    let going: string | undefined;
    let isPlanned = false;
    /** The address that could not be looked up in full. */
    let unfinished: { readonly hash: string; readonly view: View } | undefined;
    if (spared) kept.write(spared);

    function plan(): void {
      if (isPlanned) return;
      isPlanned = true;
      // After the views have looked at the cards.
      queueMicrotask(() => {
        isPlanned = false;
        follow();
      });
    }

    /** The address after the reader changed something. */
    function follow(): void {
      if (held > 0 || going !== undefined) return;
      const items = panel.requests();
      const [hash, view] = [hashOf(items), views.current()];
      const isOther = hash !== hashOf(shown.items);
      if (!isOther && view === shown.view) return;
      if (isOther) {
        unfinished = undefined;
        note.clear();
        spared = undefined;
        kept.write(panel.requests());
      }
      write(items, view !== shown.view || isStep(shown.items, items) ? 'pushState' : 'replaceState');
    }

    function write(items: readonly DashboardItem[], how: 'pushState' | 'replaceState'): void {
      const [hash, view] = [hashOf(items), views.current()];
      history[how]({ view }, '', hash || location.pathname + location.search);
      shown = { items, hash, view };
    }

    /** Shows the cards of an address. */
    async function go(hash: string, view: View): Promise<void> {
      turn += 1;
      const ownTurn = turn;
      going = hash;
      note.clear();
      const { items, remarks } = readAddress(hash);
      const before = new Set(panel.requests().map(keyOf));
      const { requests, failures } = await lookup.all(items);
      if (ownTurn !== turn) return; // gone elsewhere meanwhile
      const added = panel.requests().filter((request) => !before.has(keyOf(request)));
      const isAnswered = failures.every(isUnknown);
      // An address of which nothing can be shown takes nothing away.
      if (requests.length > 0 || (items.length === 0 && remarks.length === 0)) {
        panel.replace([...requests, ...added]);
      }
      await Promise.resolve(); // the switch of the views looks at the cards first
      views.show(panel.requests().length === 0 ? 'market' : view);
      going = undefined;
      unfinished = isAnswered ? undefined : { hash, view };
      note.tell({ failures, remarks }, retry);
      if (isAnswered) write(panel.requests(), 'replaceState');
      else shown = { items: panel.requests(), hash, view: views.current() };
    }

    function retry(): void {
      if (unfinished) void go(unfinished.hash, unfinished.view);
    }

    function onNavigation(): void {
      const view = viewIn(history.state);
      if (location.hash === going) return; // one change comes as two events
      if (location.hash === shown.hash && going === undefined) {
        if (view) views.show(view);
        shown = { ...shown, view: views.current() };
        return;
      }
      if (view) return void go(location.hash, view);
      const before = panel.requests();
      if (before.length > 0) spared ??= before;
      // Typed by hand: without cards it means the first screen.
      if (readAddress(location.hash).items.length > 0 || location.hash.length > 1) {
        void go(location.hash, 'charts');
      } else {
        turn += 1;
        going = undefined;
        views.show('market');
        write(panel.requests(), 'replaceState');
      }
    }

    panel.onChange(() => {
      lookup.know(panel.requests());
      if (spared) kept.write(spared);
      plan();
    });
    addEventListener('popstate', onNavigation);
    addEventListener('hashchange', onNavigation);
    addEventListener('storage', ({ key, newValue }) => {
      // Another tab's reader changed the cards that are to be spared.
      if (spared && key === 'marketdata.cards' && newValue !== null) spared = kept.read();
    });
    views.onChange(plan);

    const view = viewIn(history.state);
    const isWhole = start.items.length === 0 || hashOf(panel.requests()) === hashOf(start.items);
    if (isWhole && start.remarks.length === 0) {
      if (view && panel.requests().length > 0) views.show(view);
      write(panel.requests(), 'replaceState');
    } else {
      const places = start.items
        .slice(panel.requests().length)
        .map(({ command }) => panel.expect(command.symbol));
      void go(location.hash, view ?? 'charts').then(() => {
        for (const arrived of places) arrived();
      });
    }

    return {
      hold() {
        held += 1;
        return () => {
          held -= 1;
          plan();
        };
      },
      retry,
    };
  };
}

/** The view of an entry of the history; undefined if the reader typed the address. */
function viewIn(state: unknown): View | undefined {
  const { view } = typeof state === 'object' && state !== null && 'view' in state ? state : {};
  return view === 'market' || view === 'charts' ? view : undefined;
}
