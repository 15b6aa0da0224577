import { type CSSVariablesResolver, createTheme } from '@mantine/core';

export const theme = createTheme({
  primaryColor: 'blue',
  // Shade 8 has a contrast of at least 4.5 to 1 (WCAG 2.2, 1.4.3) with white text and on a dark background.
  primaryShade: { light: 8, dark: 8 },
  autoContrast: true,
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  // Plain objects, because the components' own `extend` would load them, such as the whole of Alert, with every page.
  components: {
    // The loader needs a role, because an element without a role can't have a label.
    Loader: { defaultProps: { role: 'img' } },
    // Text color gives titles more contrast than the alert's color. `minWidth` lets wide content scroll in the alert.
    Alert: { styles: { title: { color: 'var(--mantine-color-text)' }, body: { minWidth: 0 } } },
  },
});

/** Replaces Mantine's colors whose contrast is below 4.5 to 1. `--attention` marks what needs attention. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': '#5c636a',
    '--attention': '#b23c05',
    '--mantine-color-error': '#c92a2a',
    '--mantine-color-placeholder': '#6b727a',
    // Behind the text of a subtle button that is hovered.
    '--mantine-color-blue-light-hover': 'var(--mantine-color-blue-1)',
  },
  dark: {
    '--mantine-color-dimmed': '#adb2ba',
    '--attention': '#ffa94d',
    '--mantine-color-error': '#ff8787',
    '--mantine-color-placeholder': '#9aa0a8',
  },
});

const schemeAttribute = 'data-mantine-color-scheme';

/** Uses light colors for printing, because browsers do not print dark backgrounds. */
export function printLight(): void {
  const root = document.documentElement;
  const print = matchMedia('print');
  let onScreen: string | null = null;
  print.addEventListener('change', () => {
    if (print.matches) {
      onScreen = root.getAttribute(schemeAttribute);
      root.setAttribute(schemeAttribute, 'light');
    } else if (onScreen !== null) root.setAttribute(schemeAttribute, onScreen);
  });
}
