"""What it was measured on."""

import os
import platform
import time


def machine():
    model = next((line.split(":", 1)[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), "?")
    return {"machine": f"{model}, {os.cpu_count()} processors, Linux {platform.release()}",
            "load": f"{os.getloadavg()[0]:.2f}", "date": time.strftime("%Y-%m-%d")}
