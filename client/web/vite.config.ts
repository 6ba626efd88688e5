import { join } from 'node:path';
import { defineConfig, type Plugin } from 'vite';
import { brand } from '../../shared/http/page.ts';

/** The page's policy forbids data: addresses; `styles/docs.css` replaces these images. */
const withoutDataImages: Plugin = {
  name: 'without-data-images',
  enforce: 'pre',
  transform: (code, id) =>
    id.endsWith('/swagger-ui.css') ? code.replace(/url\((["']?)data:.*?\1\)/g, 'none') : undefined,
};

/** The site's name and description are defined only in `shared/http/page.ts`. */
const named: Plugin = {
  name: 'named',
  transformIndexHtml: (html) =>
    html.replaceAll('%NAME%', brand.name).replaceAll('%DESCRIPTION%', brand.description),
};

/** Mode `docs` bundles the API reference separately, so that it does not delay the page's first screen. */
export default defineConfig(({ mode }) => {
  const isDocs = mode === 'docs';
  return {
    root: import.meta.dirname,
    plugins: [withoutDataImages, named],
    build: {
      outDir: join(import.meta.dirname, '../../dist/web'),
      emptyOutDir: !isDocs,
      rolldownOptions: { input: join(import.meta.dirname, isDocs ? 'docs.html' : 'index.html') },
      // The page's policy allows only files of its own origin: neither data: addresses nor a polyfill's inline code.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      license: isDocs ? false : { fileName: 'licenses.md' },
      chunkSizeWarningLimit: isDocs ? 2000 : 500, // kB; Swagger UI is one file
    },
  };
});
