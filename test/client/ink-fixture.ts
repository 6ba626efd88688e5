/** A program that draws with Ink when it is asked to, and loads it only then: bundle.system.test.ts bundles it. */
const [, , text] = process.argv;

if (text !== undefined) {
  // A module of our own: out of a bundle, `import('react')` itself would have nothing but a default export.
  const { draw } = await import('./ink-drawing.ts');
  await draw(text);
}
