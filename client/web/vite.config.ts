import { join } from 'node:path';
import { defineConfig } from 'vite';

export default defineConfig({
  root: import.meta.dirname,
  build: {
    outDir: join(import.meta.dirname, '../../dist/web'),
    emptyOutDir: true,
    // The page's policy allows files of its own origin only: neither data: addresses nor a polyfill's inline code.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    license: { fileName: 'licenses.md' },
  },
});
