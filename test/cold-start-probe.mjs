// Loads a bundle as a cold start does and prints, as JSON, the files and whether undici came along.
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';

const files = [];
registerHooks({
  load(url, context, nextLoad) {
    if (url.startsWith('file:')) files.push(fileURLToPath(url));
    return nextLoad(url, context);
  },
});
await import(process.argv[2] ?? '');
const undici = process.moduleLoadList.some((name) => name.includes('undici'));
console.log(JSON.stringify({ files, undici }));
process.exit(0);
