import { brand } from '../../../shared/http/page.ts';
import type { RegistryEntry } from '../../../shared/registry/entries.ts';

/** The built page with the title and description of a coin, for search engines and shared links. */
export function coinHtml(shell: string, { name, symbol, rank, is_active: isActive }: RegistryEntry): string {
  const title = `${name} (${symbol}) price and chart`;
  const place = rank > 0 ? `Number ${rank} by market capitalisation. ` : '';
  const state = isActive ? '' : 'No longer active. ';
  return withHead(shell, {
    title,
    description: `${name} (${symbol}). ${place}${state}${brand.description}`,
  });
}

/** The built page for an address that does not exist; the page itself offers a search. */
export function missingHtml(shell: string): string {
  return withHead(shell, { title: 'Not found', description: 'There is no such page. Search for a coin.' });
}

interface Head {
  readonly title: string;
  readonly description: string;
}

function withHead(shell: string, { title, description }: Head): string {
  const shownTitle = escaped(`${title} · ${brand.name}`);
  const shownDescription = escaped(description);
  const tags = [
    ['og:type', 'website'],
    ['og:site_name', escaped(brand.name)],
    ['og:title', shownTitle],
    ['og:description', shownDescription],
  ].map(([property, content]) => `<meta property="${property}" content="${content}" />`);
  // Replacements are functions, because a coin's name may contain `$&`.
  return shell
    .replace(/<title>[^<]*<\/title>/, () => `<title>${shownTitle}</title>\n    ${tags.join('\n    ')}`)
    .replace(/(<meta name="description" content=")[^"]*/, (_all, start: string) => start + shownDescription);
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}
