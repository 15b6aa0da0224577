const attribute = 'data-mantine-color-scheme';

/** Uses the light colors on paper, whatever the colors on the screen: browsers do not print dark backgrounds. */
export function printLight(): void {
  const root = document.documentElement;
  const print = matchMedia('print');
  let onScreen: string | null = null;
  const follow = () => {
    if (print.matches) {
      onScreen = root.getAttribute(attribute);
      root.setAttribute(attribute, 'light');
    } else if (onScreen !== null) root.setAttribute(attribute, onScreen);
  };
  print.addEventListener('change', follow);
}
