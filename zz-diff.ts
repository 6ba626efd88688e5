const root = process.argv[2];
const old = root === '/work/main';
const { simulatedEntries } = await import(`${root}/registry-layer/simulated/list.ts`);
const { buildRegistry } = await import(`${root}/registry-layer/build.ts`);
const { openRegistryBytes } = await import(`${root}/shared/registry/registry.ts`);
const { makeQueries } = await import(`${root}/test/registry/queries.ts`);
import { writeFileSync } from 'node:fs';
const entries = simulatedEntries();
const { bytes, manifest } = buildRegistry(entries, { source: 'simulated' });
const r = openRegistryBytes(bytes, manifest);
const qs = makeQueries(entries, 60, 7).map((q: any) => q.text);
const words = entries.slice(0, 4000).flatMap((e: any) => e.name.split(' '));
let s = 12345; const rnd = (n: number) => { s = (s * 1103515245 + 12345) & 0x7fffffff; return s % n; };
for (let i = 0; i < 400; i++) { const a = words[rnd(words.length)], b = words[rnd(words.length)]; qs.push(`${a} ${b.slice(0, 1 + rnd(4))}`, `${a.slice(0, 2)} ${b.slice(0, 1)}`, a.slice(0, 1 + rnd(5)), `${a}${b}`); }
qs.push('a b', 'a', 'coin a', 'i n', 'a b c', 'coin token', '龙 a', 'the of');
const out: any = []; const times: number[] = [];
qs.splice(0, qs.length, ...qs.filter((q: string) => q !== ''));
for (const q of qs) r.search(q, 20, {});
for (const q of qs) { const t = performance.now(); const res = r.search(q, 20, {}); times.push(performance.now() - t); out.push([q, res.map((e: any) => e.id), r.search(q, 5, { activeOnly: true }).map((e: any) => e.id), r.suggestId(q)]); }
writeFileSync(process.argv[3], JSON.stringify(out, null, 0).replaceAll('],["', '],\n["'));
const sorted = times.map((t, i) => [t, qs[i]]).sort((a: any, b: any) => a[0] - b[0]);
console.log(root, 'n', times.length, 'p50', sorted[times.length >> 1][0].toFixed(3), 'p99', sorted[Math.floor(times.length * .99)][0].toFixed(2), 'max', sorted.slice(-4).map(([t, q]: any) => `${q}: ${t.toFixed(1)}`).join('; '), 'mean', (times.reduce((a, b) => a + b) / times.length).toFixed(3));
