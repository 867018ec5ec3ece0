"""Compare the installed packages with the list of known vulnerabilities.

A finding is a failure. A service that cannot be reached is said, and is none: the check needs the
network, and a machine without one must still be able to test.
"""

import json
import subprocess
import sys


def main() -> int:
    """Run pip-audit; 1 where it finds something, 0 where nothing is known or nobody answers."""
    command = [sys.executable, "-m", "pip_audit", "--format", "json", "--progress-spinner", "off"]
    command += ["--skip-editable", "--timeout", "20"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    try:
        packages = json.loads(done.stdout)["dependencies"]
    except (ValueError, KeyError):
        reason = (done.stderr.strip().splitlines() or ["no answer"])[-1]
        print(f"not audited: the list of vulnerabilities could not be had ({reason[:200]})")
        return 0
    found = [package for package in packages if package.get("vulns")]
    for package in found:
        for vulnerability in package["vulns"]:
            fixed = ", ".join(vulnerability["fix_versions"]) or "no version yet"
            print(f"{package['name']} {package['version']}: {vulnerability['id']} ({fixed})")
    print(f"audited {len(packages)} packages, {len(found)} with known vulnerabilities")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
