/** Repairs the markup of a library, for assistive technologies, whenever the library changes the page. */
export function repairMarkup(repairs: Readonly<Record<string, (element: Element) => void>>): void {
  const run = () => {
    for (const [selector, repair] of Object.entries(repairs)) {
      for (const element of document.querySelectorAll(selector)) repair(element);
    }
  };
  new MutationObserver(run).observe(document.body, { childList: true, subtree: true });
  run();
}

export function setAttributes(attributes: Readonly<Record<string, string>>): (element: Element) => void {
  return (element) => {
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  };
}

export function removeAttributes(...names: readonly string[]): (element: Element) => void {
  return (element) => {
    for (const name of names) element.removeAttribute(name);
  };
}
