/** The page at /docs: the API's description, drawn by Swagger UI. */
import SwaggerUI, { type Component, type Plugin, type System } from 'swagger-ui-dist/swagger-ui-es-bundle.js';
import 'swagger-ui-dist/swagger-ui.css';

interface Sample {
  readonly lang: string;
  readonly source: string;
}

interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { 'x-codeSamples'?: readonly Sample[] }>>>>;
}

/** The service's address in the description's samples. */
const DOCUMENTED_SERVICE = 'http://localhost:3000';

const place = document.getElementById('reference');
const darkQuery = matchMedia('(prefers-color-scheme: dark)');
for (const [target, event] of [[darkQuery, 'change'] as const, [window, 'storage'] as const])
  target.addEventListener(event, applyTheme);
applyTheme();
if (place) new MutationObserver(nameFields).observe(place, { childList: true, subtree: true });
await showReference();

async function showReference(): Promise<void> {
  try {
    const response = await fetch('/openapi.json');
    if (!response.ok) throw new Error(`status ${response.status}`);
    const text = await response.text();
    const description: Description = JSON.parse(text.replaceAll(DOCUMENTED_SERVICE, location.origin));
    const reference = SwaggerUI({
      spec: description,
      domNode: place,
      deepLinking: true,
      tryItOutEnabled: true,
      displayRequestDuration: true,
      syntaxHighlight: false,
      validatorUrl: null,
      defaultModelsExpandDepth: -1,
      plugins: [(system) => ours(system, description)],
    });
    const key = stored(sessionStorage, 'marketdata.apiKey');
    if (typeof key === 'string' && key !== '') reference.preauthorizeApiKey('apiKey', key);
  } catch (error) {
    const note = document.createElement('p');
    note.className = 'docs-note';
    note.role = 'alert';
    note.textContent = `The reference could not be loaded: ${error instanceof Error ? error.message : error}. Reload the page to try again.`;
    place?.replaceChildren(note);
  }
  place?.removeAttribute('aria-busy');
}

/**
 * Texts are elements and never become markup, so Trusted Types need no exception; a link inside a button is plain text;
 * scrollable areas are focusable; and each operation has example requests in three languages.
 */
function ours({ React: { createElement: h } }: System, { paths }: Description): Plugin {
  const Markdown: Component = ({ source }) => {
    const paragraphs = String(source ?? '').split(/\n{2,}/);
    const content = (text: string) =>
      text.split('`').map((part, index) => (index % 2 === 1 ? h('code', null, part) : part));
    return h('div', { className: 'markdown' }, ...paragraphs.map((text) => h('p', null, ...content(text))));
  };
  const Code: Component = ({ className, children }) =>
    h('pre', { className: `microlight ${className ?? ''}`, tabIndex: 0, children });
  const Samples: Component = ({ samples }) =>
    h(
      'section',
      { className: 'samples', 'aria-label': 'Sample requests' },
      ...(samples as readonly Sample[]).map(({ lang, source }) =>
        h('figure', { key: lang }, h('figcaption', null, lang), h('pre', { tabIndex: 0 }, source)),
      ),
    );
  return {
    components: {
      Markdown,
      PlainTextViewer: Code,
      DeepLink: ({ text }) => h('span', { children: text }), // a text, or a path with places to break it
      ServersContainer: () => null, // there is only this one
    },
    wrapComponents: {
      responses: (Original) => (props) => {
        const samples = paths[String(props.path)]?.[String(props.method)]?.['x-codeSamples'];
        return h('div', null, samples && h(Samples, { samples }), h(Original, props));
      },
    },
  };
}

/** Swagger UI leaves form fields without names: they get their parameter's. */
function nameFields(): void {
  for (const field of document.querySelectorAll<HTMLInputElement>(
    '#reference :is(input, select, textarea)',
  )) {
    if (field.labels?.length || field.ariaLabel) continue;
    field.ariaLabel = field.closest<HTMLElement>('[data-param-name]')?.dataset.paramName ?? 'Value';
  }
}

/** The theme chosen on the other page, or the system's. */
function applyTheme(): void {
  const chosen = stored(localStorage, 'marketdata.theme');
  const isDark = chosen === 'dark' || (chosen !== 'light' && darkQuery.matches);
  document.documentElement.dataset.theme = isDark ? 'dark' : 'light';
}

/** Undefined where the browser refuses storage. */
function stored(storage: Storage, key: string): unknown {
  try {
    return JSON.parse(storage.getItem(key) ?? 'null');
  } catch {
    return undefined;
  }
}
