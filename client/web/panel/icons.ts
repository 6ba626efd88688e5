/** Paths in a field of 20 by 20, drawn with lines. */
const paths = {
  refresh: 'M16 10a6 6 0 1 1-2-4.5M16 3v3.5h-3.5',
  expand: 'M8 4H4v4M12 4h4v4M8 16H4v-4M12 16h4v-4',
  collapse: 'M4 8h4V4M16 8h-4V4M4 12h4v4M16 12h-4v4',
  remove: 'M5 5l10 10M15 5L5 15',
  more: 'M5 10h.01M10 10h.01M15 10h.01',
} as const;

export type IconName = keyof typeof paths;

/** An icon as the page's style sheet draws it; a label has to stand beside it. */
export function icon(name: IconName): SVGSVGElement {
  const space = 'http://www.w3.org/2000/svg';
  const svg = document.createElementNS(space, 'svg');
  const path = document.createElementNS(space, 'path');
  path.setAttribute('d', paths[name]);
  svg.setAttribute('viewBox', '0 0 20 20');
  svg.setAttribute('class', `glyph ${name}`);
  svg.setAttribute('aria-hidden', 'true');
  svg.append(path);
  return svg;
}
