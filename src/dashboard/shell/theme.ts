import { Alert, type CSSVariablesResolver, createTheme, Loader, TagsInput } from '@mantine/core';

export const theme = createTheme({
  primaryColor: 'blue',
  // Dark enough for white text, and light enough on dark, for a contrast of 4.5 to 1 (WCAG 2.2, 1.4.3).
  primaryShade: { light: 8, dark: 8 },
  autoContrast: true,
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    // Without proposals: Escape would first close their empty list, which is not visible, and only then the dialog.
    TagsInput: TagsInput.extend({ defaultProps: { dropdownOpened: false } }),
    // An element without a role can't have a label.
    Loader: Loader.extend({ defaultProps: { role: 'img' } }),
    // Colored titles on a tint of the same color have less contrast. Wide content scrolls inside the alert.
    Alert: Alert.extend({ styles: { title: { color: 'var(--mantine-color-text)' }, body: { minWidth: 0 } } }),
  },
});

/** Mantine's colors for dimmed text have a contrast below 4.5 to 1. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': '#5c636a',
    '--mantine-color-error': '#c92a2a',
    '--mantine-color-placeholder': '#6b727a',
  },
  dark: {
    '--mantine-color-dimmed': '#adb2ba',
    '--mantine-color-error': '#ff8787',
    '--mantine-color-placeholder': '#9aa0a8',
  },
});

const schemeAttribute = 'data-mantine-color-scheme';

/** Prints in light colors, whatever the colors on the screen: browsers do not print dark backgrounds. */
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
