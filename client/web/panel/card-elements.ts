import type { Coin } from '../../commands/coins.ts';
import { clean } from '../../commands/format/text.ts';
import { button, element } from '../dom.ts';
import { monogram } from '../monogram.ts';
import { createAnnouncer } from './announcer.ts';
import { createCardMenu, type MenuEvents } from './card-menu.ts';
import { createHeadline } from './headline.ts';
import { type IconName, icon } from './icons.ts';
import { createLegend } from './legend.ts';
import { createRangeRow } from './range-row.ts';
import { createSourceBadge } from './source-badge.ts';

/** The parts of a card, none of which knows what it shows. */
export function createCardElements(
  coin: Coin,
  name: string,
  runCommand: (command: string) => void,
  events: MenuEvents,
) {
  const headline = createHeadline();
  const badge = createSourceBadge(name, runCommand);
  const ranges = createRangeRow(name, events.onRange);
  const menu = createCardMenu(name, events);
  const announcer = createAnnouncer();
  const legend = createLegend(announcer);
  // What the library makes is nothing to read; the chart is its name, and its values are told as the arrow keys move.
  const canvas = element('div', { class: 'canvas', 'aria-hidden': 'true' });
  const chart = element(
    'div',
    {
      class: 'chart',
      tabindex: '0',
      role: 'application',
      'aria-roledescription': 'chart',
      'aria-label': `Chart of ${name}`,
    },
    canvas,
  );
  const skeleton = element(
    'div',
    { class: 'skeleton' },
    element('span', {}, `Loading ${clean(coin.name)} …`),
  );
  const stage = element('div', { class: 'stage' }, chart, skeleton);

  const iconButton = (glyph: IconName, label: string, onClick: () => void) => {
    const made = button('', onClick, { class: 'icon', 'aria-label': `${label} ${name}`, title: label });
    made.append(icon(glyph));
    return made;
  };
  const expand = iconButton('expand', 'Expand', events.onExpand);
  expand.classList.add('expand');
  const remove = iconButton('remove', 'Remove', events.onRemoveCard);
  remove.classList.add('remove');
  const heading = element(
    'h3',
    { title: name },
    `${clean(coin.name)} `,
    element('span', { class: 'symbol' }, `(${clean(coin.symbol)})`),
  );
  const grip = element('div', { class: 'grip' }, monogram(coin), heading);
  const article = element(
    'article',
    { class: 'card', tabindex: '-1', 'aria-label': name },
    element(
      'header',
      {},
      grip,
      element(
        'div',
        { class: 'card-actions', role: 'group', 'aria-label': `Actions on ${name}` },
        iconButton('refresh', 'Refresh', events.onRefresh),
        expand,
        remove,
        menu.opener,
      ),
    ),
    menu.element,
    element('div', { class: 'facts' }, headline.element, headline.age, ranges.element, badge.element),
    legend.element,
    stage,
    announcer.element,
  );

  return {
    article,
    headline,
    badge,
    ranges,
    menu,
    legend,
    canvas,
    chart,
    skeleton,
    stage,
    setExpanded(isExpanded: boolean) {
      article.classList.toggle('expanded', isExpanded);
      const label = isExpanded ? 'Back to all charts from' : 'Expand';
      expand.setAttribute('aria-label', `${label} ${name}`);
      expand.title = isExpanded ? 'Back to all charts' : 'Expand';
      expand.replaceChildren(icon(isExpanded ? 'collapse' : 'expand'));
    },
  };
}
