"""``python -m firth``."""

from firth.cli import main

if __name__ == "__main__":
    main()
