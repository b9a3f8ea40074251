/** Milliseconds that a refusal waits for the newest objects of RBAC. A store that responds needs less than a hundred. */
export const rbacFreshnessTimeoutMs = 1000;

/** Waits for the newest objects, while the store responds. While it does not, the loaded ones decide, as the informers of kube-apiserver do. */
export class RbacFreshness {
  readonly #upToDate: () => Promise<void>;
  /** Waits that took too long, and have not ended. */
  #late = 0;

  constructor(upToDate: () => Promise<void>) {
    this.#upToDate = upToDate;
  }

  /** Resolves when the objects are up to date, or could not be read in time: at once if an earlier wait is late. */
  async wait(): Promise<void> {
    if (this.#late > 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      this.#late++;
      resolve();
    }, rbacFreshnessTimeoutMs);
    const end = () => {
      clearTimeout(timer);
      if (isLate) this.#late--;
      resolve();
    };
    this.#upToDate().then(end, end);
    await promise;
  }
}
