import { join } from 'node:path';
import { defineConfig, type Plugin } from 'vite';
import { brand } from '../../shared/http/page.ts';

/** The policy of the page allows no data: addresses: `styles/docs.css` has what these images showed. */
const withoutDataImages: Plugin = {
  name: 'without-data-images',
  enforce: 'pre',
  transform: (code, id) =>
    id.endsWith('/swagger-ui.css') ? code.replace(/url\((["']?)data:.*?\1\)/g, 'none') : undefined,
};

/** The name of the site and its description stand in `shared/http/page.ts` alone. */
const named: Plugin = {
  name: 'named',
  transformIndexHtml: (html) =>
    html.replaceAll('%NAME%', brand.name).replaceAll('%DESCRIPTION%', brand.description),
};

/** Mode `docs` bundles the API reference on its own: it shares no file with the page, whose first screen it would delay. */
export default defineConfig(({ mode }) => {
  const isDocs = mode === 'docs';
  return {
    root: import.meta.dirname,
    plugins: [withoutDataImages, named],
    build: {
      outDir: join(import.meta.dirname, '../../dist/web'),
      emptyOutDir: !isDocs,
      rolldownOptions: { input: join(import.meta.dirname, isDocs ? 'docs.html' : 'index.html') },
      // The page's policy allows files of its own origin only: neither data: addresses nor a polyfill's inline code.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      license: isDocs ? false : { fileName: 'licenses.md' },
      chunkSizeWarningLimit: isDocs ? 2000 : 500, // kB; Swagger UI comes as one file
    },
  };
});
