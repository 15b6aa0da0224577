interface File {
  readonly name: string;
  readonly type: 'text/csv' | 'text/html' | 'text/plain';
  readonly text: string;
}

export function saveFile({ name, type, text }: File): void {
  const url = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
