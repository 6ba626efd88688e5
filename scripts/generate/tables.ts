/** Tables in documents that are derived from the code: each is between `<!-- table: NAME -->` and `<!-- end -->`. */
import { jobs } from '../../functions/jobs.ts';
import { routes } from '../../functions/routes.ts';
import { inputSchema } from '../../shared/http/compile-schemas.ts';
import { stores } from '../../shared/marketdata/stores.ts';
import { variables } from '../../shared/platform/environment.ts';
import { coinProvider } from '../../shared/providers/index.ts';
import { exchanges, idSource, ratesSources, tokenSources } from '../../shared/providers/sources.ts';

export const documentsWithTables = ['docs/api.md', 'docs/architecture.md'] as const;

/** Variables that no user sets, apart from the addresses of sources, which the document describes in one sentence. */
const SET_BY_THE_STACK = /_(BUCKET|TABLE|BASE_URL)$|^(ORIGIN_\w+|PAGE_URL|REGISTRY_PATH|METRICS_NAMESPACE)$/;

const tables: Readonly<Record<string, () => string>> = {
  jobs: () =>
    table(
      ['job', 'every', 'what it does'],
      jobs.map(({ name, everyMinutes, summary }) => [code(name), interval(everyMinutes), summary]),
    ),
  stores: () =>
    table(
      ['object', 'content', 'written by', 'read by'],
      stores
        .filter(({ readers }) => readers.length > 0)
        .map(({ kind, name, content, format, writers, readers }) => [
          code(`${kind}/${name}`),
          `${content} (${format})`,
          writers.join(', '),
          readers.join(', '),
        ]),
    ),
  routes: () =>
    table(
      ['route', 'what it answers', 'parameters (default)'],
      routes
        .filter(({ path }) => path.startsWith('/api/marketdata/'))
        .map((route) => [code(`${route.method} ${route.path}`), route.summary, parametersOf(route)]),
    ),
  terms: () =>
    table(
      ['source', 'terms'],
      [coinProvider, ...exchanges.values(), ...tokenSources, ...Object.values(ratesSources), idSource].map(
        ({ title, terms }) => [title, `[${terms.summary}](${terms.url})`],
      ),
    ),
  settings: () =>
    table(
      ['variable', 'default', 'what it does'],
      Object.entries(variables)
        .filter(([name]) => !SET_BY_THE_STACK.test(name))
        .map(([name, variable]) => [
          code(name),
          'default' in variable ? code(variable.default) : '',
          variable.description,
        ]),
    ),
};

/** A table in Markdown, whose cells may hold any text. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
  const lines = [head, head.map(() => '---'), ...rows.map((cells) => cells.map(cell))];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

const code = (text: string): string => `\`${text}\``;

function interval(minutes: number | string): string {
  if (typeof minutes === 'string') return code(minutes);
  if (minutes % (24 * 60) === 0) return minutes === 24 * 60 ? 'day' : `${minutes / (24 * 60)} days`;
  return minutes % 60 === 0 ? `${minutes / 60} hours` : `${minutes} minutes`;
}

function parametersOf(route: (typeof routes)[number]): string {
  const { properties } = inputSchema(route);
  return route.parameters
    .filter((parameter) => parameter.in !== 'path')
    .map(({ name, allowed }) => {
      const { default: value } = properties[name] ?? {};
      const given = value === undefined || String(value) === '' ? '' : ` (${value})`;
      return `${code(name)} ${briefly(allowed)}${given}`;
    })
    .join('; ');
}

/** The allowed values from an error message, without its example, and numbers as a range. */
const briefly = (allowed: string): string =>
  allowed.replace(/, such as .*$/, '').replace(/^(?:an integer from )?(\d+) to (\d+)/, '$1–$2');

/** The document with its tables updated from the code. Throws for an unknown table. */
export function withTables(document: string): string {
  return document.replace(/(<!-- table: (\w+) -->\n).*?(<!-- end -->)/gs, (_, begin, name, end) => {
    const written = tables[name];
    if (!written) throw new Error(`No table is called ${name}: use one of ${Object.keys(tables).join(', ')}`);
    return `${begin}\n${written()}\n\n${end}`;
  });
}
