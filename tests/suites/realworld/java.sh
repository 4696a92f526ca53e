# Java, whose just-in-time compiler writes its map as the program ends: Hot.java. It has no hooks.
title="Java, map at exit"
needs="javac:default-jdk-headless java:default-jdk-headless"
sampled=yes

build() {
    javac -d . "${recipe%/*}/Hot.java"
    cat >program <<'EOF'
#!/bin/sh
exec java -XX:+PreserveFramePointer -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit -XX:+UseSerialGC -cp "$(dirname "$0")" Hot
EOF
    chmod +x program
}

run() { $launch "$program"; }
