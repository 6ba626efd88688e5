import { Box, render, Text } from 'ink';
import { createElement } from 'react';

/** Draws a text in a box, once. */
export async function draw(text: string): Promise<void> {
  const app = render(
    createElement(Box, { borderStyle: 'single' }, createElement(Text, { bold: true }, text)),
  );
  app.unmount();
  await app.waitUntilExit();
}
