/** Repairs the markup of a library, for assistive technologies, whenever the library changes the page. */
export function repairMarkup(repairs: Readonly<Record<string, Attributes>>): void {
  const run = () => {
    for (const [selector, attributes] of Object.entries(repairs))
      for (const element of document.querySelectorAll(selector)) repair(element, attributes);
  };
  new MutationObserver(run).observe(document.body, { childList: true, subtree: true });
  run();
}

/** Null removes an attribute. */
type Attributes = Readonly<Record<string, string | null>>;

function repair(element: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null) element.removeAttribute(name);
    else element.setAttribute(name, value);
  }
}
