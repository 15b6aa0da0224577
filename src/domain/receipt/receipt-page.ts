/** A receipt as one page for people, with the signed JSON. */
import type { ReceiptStatement } from './receipt.ts';

/** @param receipt from `readReceipt`; `statement` is what is signed */
export function receiptPage(receipt: { readonly statement: unknown }): string {
  const { action, subject, verifiers, lastUse, complete, ...rest } = receipt.statement as ReceiptStatement;
  const { name, prefix, id } = subject;
  const facts = [
    ['What', `${action.toLowerCase().replaceAll('_', ' ')}: ${[name, prefix, id].filter(Boolean).join(', ')}`],
    ['Team', rest.teamId],
    ['Requested', `${rest.requestedAt} by ${rest.requestedBy}`],
    ['Answered', rest.answeredAt ?? 'not recorded'],
    ['In force since', rest.inForceSince],
    ['Revision', rest.revision],
    ['Issued', rest.issuedAt],
    ...(lastUse === null
      ? []
      : [
          [
            'Last accepted',
            `${lastUse.acceptedAt ?? 'never'}; reported until ${lastUse.reportedUntil ?? 'no report yet'}`,
          ],
        ]),
  ];
  const rows = facts.map(([label = '', value = '']) => `<dt>${escaped(label)}</dt><dd>${escaped(value)}</dd>`).join('');
  const listed = verifiers
    .map(({ id, kind, state, at }) => `<tr><td>${[kind, id, state, at].map(escaped).join('</td><td>')}</td></tr>`)
    .join('');
  const none = '<p>No verifier was heard of in the last hour.</p>';
  const table = `<table><tr><th>Kind</th><th>Verifier</th><th>State</th><th>At</th></tr>${listed}</table>`;
  const state = complete
    ? 'Every verifier of the last hour has confirmed the change, or can accept nothing before it does.'
    : 'Some verifiers have not reported yet that they have confirmed the change: get it again.';
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Receipt ${escaped(rest.revision)}</title>
<style>body{font-family:system-ui;max-width:48rem;margin:2rem auto;padding:0 1rem}dt{font-weight:600}dd{margin:0 0 .5rem}td,th{text-align:left;padding:.2rem .8rem .2rem 0;overflow-wrap:anywhere}</style>
<h1>Receipt</h1><dl>${rows}</dl><p>${escaped(rest.promise)}</p><h2>Verifiers</h2><p>${state}</p>
${verifiers.length === 0 ? none : table}
<details><summary>The signed statement, for <code>latchkey receipt verify</code></summary>
<pre style="white-space:pre-wrap;overflow-wrap:anywhere">${escaped(JSON.stringify(receipt))}</pre></details></html>`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
