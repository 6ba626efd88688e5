import { describe, expect, test } from 'vitest';
import { entry } from '../../../shared/registry/entry.testing.ts';
import { coinHtml, missingHtml } from './html.ts';

const shell = `<!doctype html><html><head>
    <meta name="description" content="Old." />
    <title>Tickline</title>
  </head><body></body></html>`;

describe('the page of a coin', () => {
  test('has the coin in title, description and Open Graph tags', () => {
    const html = coinHtml(shell, entry());
    expect(html).toContain('<title>Bitcoin (BTC) price and chart · Tickline</title>');
    expect(html).toContain('<meta property="og:title" content="Bitcoin (BTC) price and chart · Tickline" />');
    expect(html).toMatch(/<meta name="description" content="Bitcoin \(BTC\)\. Number 1 by market/);
    expect(html).not.toContain('Old.');
  });

  test('marks an inactive coin, and has no rank for an unranked one', () => {
    const html = coinHtml(shell, entry({ rank: 0, is_active: false }));
    expect(html).toContain('content="Bitcoin (BTC). No longer active. Prices');
  });

  test.each([
    '<script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>',
    '</title><script>',
    "' onload='x",
    '$& $1 $`',
  ])('keeps the name %s a text', (name) => {
    const html = coinHtml(shell, entry({ name }));
    expect(html.match(/<(script|img)/g)).toBeNull();
    expect(html.match(/<title>/g)).toHaveLength(1);
    expect(html.match(/content="[^"]*"/g)).toHaveLength(5);
  });
});

test('a missing page is called that', () => {
  expect(missingHtml(shell)).toContain('<title>Not found · Tickline</title>');
});
