/** Keeps the end of a scrolling element in sight, unless the reader has scrolled up. */
export class Follower {
  #scroller;
  #button;
  #isFollowing = true;
  #top = 0;

  /** @param {Element} scroller @param {HTMLElement} button leads back to the end. */
  constructor(scroller, button) {
    this.#scroller = scroller;
    this.#button = button;
    scroller.addEventListener("scroll", () => this.#look());
    button.addEventListener("click", () => this.jump());
    new ResizeObserver(() => this.follow()).observe(scroller);
  }

  /** Goes to the end if the reader was there. */
  follow() {
    if (this.#isFollowing) {
      this.#scroller.scrollTop = this.#scroller.scrollHeight;
    }
  }

  /** Goes to the end and stays there. */
  jump() {
    this.#isFollowing = true;
    this.#button.hidden = true;
    this.follow();
  }

  /** Keeps an element at the place in the window where its top was before. @param {Element} element @param {number} top */
  stay(element, top) {
    this.#isFollowing = false;
    this.#scroller.scrollTop += element.getBoundingClientRect().top - top;
    this.#look();
  }

  /** Scrolling up is always the reader's; after scrolling down, near the end counts as the end. */
  #look() {
    const { scrollTop, scrollHeight, clientHeight } = this.#scroller;
    this.#isFollowing = scrollHeight - clientHeight - scrollTop < (scrollTop < this.#top ? 2 : 40);
    this.#top = scrollTop;
    this.#button.hidden = this.#isFollowing;
  }
}
