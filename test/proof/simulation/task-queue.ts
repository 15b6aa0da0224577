/** Tasks by time, and by the order in which they were added if their times are equal (a binary heap). */
export interface Task {
  readonly at: number;
  readonly sequence: number;
  readonly run: () => void;
}

export class TaskQueue {
  readonly #heap: Task[] = [];
  #sequence = 0;

  add(at: number, run: () => void): void {
    const task = { at, sequence: this.#sequence, run };
    this.#sequence += 1;
    let place = this.#heap.length;
    while (place > 0) {
      const parentPlace = (place - 1) >> 1;
      const parent = this.#heap[parentPlace] as Task;
      if (isBefore(parent, task)) break;
      this.#heap[place] = parent;
      place = parentPlace;
    }
    this.#heap[place] = task;
  }

  /** Removes and returns the first task. */
  take(): Task | undefined {
    const first = this.#heap[0];
    const last = this.#heap.pop();
    if (last !== undefined && this.#heap.length > 0) this.#sink(last);
    return first;
  }

  #sink(task: Task): void {
    const heap = this.#heap;
    let place = 0;
    for (;;) {
      let childPlace = 2 * place + 1;
      if (childPlace >= heap.length) break;
      const right = heap[childPlace + 1];
      if (right !== undefined && isBefore(right, heap[childPlace] as Task)) childPlace += 1;
      const child = heap[childPlace] as Task;
      if (isBefore(task, child)) break;
      heap[place] = child;
      place = childPlace;
    }
    heap[place] = task;
  }
}

function isBefore(a: Task, b: Task): boolean {
  return a.at < b.at || (a.at === b.at && a.sequence < b.sequence);
}
